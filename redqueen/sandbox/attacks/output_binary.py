# attempt: writes bytes that are no text
# expect: ok

import os
os.write(1, bytes(range(256)) * 100)

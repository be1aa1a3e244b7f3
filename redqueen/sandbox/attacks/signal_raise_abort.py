# attempt: aborts
# expect: crashed

import os
os.abort()

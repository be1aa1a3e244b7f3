# attempt: leaves before it answers
# expect: crashed

import os
os._exit(0)

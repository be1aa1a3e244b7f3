# attempt: writes to address 8
# expect: crashed

import ctypes
ctypes.memset(8, 1, 1)

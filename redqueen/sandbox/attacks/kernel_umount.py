# attempt: unmounts the library
# expect: refused

import ctypes
import sys
r = ctypes.CDLL(None, use_errno=True).syscall(166, sys.path[0].encode(), 2)
print('ESCAPED' if r >= 0 else 'contained')

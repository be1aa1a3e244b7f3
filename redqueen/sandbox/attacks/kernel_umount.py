# attempt: unmounts the library
# expect: refused

import ctypes
import os
r = ctypes.CDLL(None, use_errno=True).syscall(166, os.path.dirname(os.__file__).encode(), 2)
print('ESCAPED' if r >= 0 else 'contained')

# attempt: unmounts the library
# expect: refused

import ctypes
r = ctypes.CDLL(None, use_errno=True).syscall(166, b"/usr/lib/python3.11", 2)
print('ESCAPED' if r >= 0 else 'contained')

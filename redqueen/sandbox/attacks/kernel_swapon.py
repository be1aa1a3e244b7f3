# attempt: adds swap
# expect: refused

import ctypes
r = ctypes.CDLL(None, use_errno=True).syscall(167, b"/x", 0)
print('ESCAPED' if r >= 0 else 'contained')

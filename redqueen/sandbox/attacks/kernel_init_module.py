# attempt: loads a kernel module
# expect: refused

import ctypes
r = ctypes.CDLL(None, use_errno=True).syscall(175, b"x", 1, b"")
print('ESCAPED' if r >= 0 else 'contained')

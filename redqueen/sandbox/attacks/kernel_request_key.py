# attempt: requests a key
# expect: refused

import ctypes
r = ctypes.CDLL(None, use_errno=True).syscall(249, b"user", b"x", 0, 0)
print('ESCAPED' if r >= 0 else 'contained')

# attempt: adds a key
# expect: refused

import ctypes
r = ctypes.CDLL(None, use_errno=True).syscall(248, b"user", b"x", b"y", 1, -3)
print('ESCAPED' if r >= 0 else 'contained')

# attempt: opens a file system
# expect: refused

import ctypes
r = ctypes.CDLL(None, use_errno=True).syscall(430, b"tmpfs", 0)
print('ESCAPED' if r >= 0 else 'contained')

# attempt: raises its I/O priority
# expect: ok
# out: contained

import ctypes
r = ctypes.CDLL(None, use_errno=True).syscall(251, 1, 0, 0)
print('ESCAPED' if r >= 0 else 'contained')

# attempt: opens a POSIX message queue
# expect: ok
# out: contained

import ctypes
r = ctypes.CDLL(None, use_errno=True).syscall(240, b"x", 0o102, 0o666, 0)
print('ESCAPED' if r >= 0 else 'contained')

# attempt: makes a message queue
# expect: ok
# out: contained

import ctypes
r = ctypes.CDLL(None, use_errno=True).syscall(68, 0, 0o1777)
print('ESCAPED' if r >= 0 else 'contained')

# attempt: makes semaphores
# expect: ok
# out: contained

import ctypes
r = ctypes.CDLL(None, use_errno=True).syscall(64, 0, 1, 0o1777)
print('ESCAPED' if r >= 0 else 'contained')

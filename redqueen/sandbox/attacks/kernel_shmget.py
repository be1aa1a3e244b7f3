# attempt: makes System V shared memory
# expect: ok
# out: contained

import ctypes
r = ctypes.CDLL(None, use_errno=True).syscall(29, 0, 4096, 0o1777)
print('ESCAPED' if r >= 0 else 'contained')

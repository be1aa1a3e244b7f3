# attempt: moves its thread pointer
# expect: ok
# out: contained

import ctypes
r = ctypes.CDLL(None, use_errno=True).syscall(158, 0x1002, 0)
print('ESCAPED' if r >= 0 else 'contained')

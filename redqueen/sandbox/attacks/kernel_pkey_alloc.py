# attempt: asks for a protection key
# expect: ok
# out: contained

import ctypes
r = ctypes.CDLL(None, use_errno=True).syscall(330, 0, 0)
print('ESCAPED' if r >= 0 else 'contained')

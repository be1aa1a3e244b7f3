# attempt: asks prctl for another filter
# expect: ok
# out: contained

import ctypes
r = ctypes.CDLL(None, use_errno=True).syscall(157, 22, 2, 0, 0, 0)
print('ESCAPED' if r >= 0 else 'contained')

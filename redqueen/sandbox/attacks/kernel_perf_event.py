# attempt: opens a performance counter
# expect: refused

import ctypes
r = ctypes.CDLL(None, use_errno=True).syscall(298, 0, 0, -1, -1, 0)
print('ESCAPED' if r >= 0 else 'contained')

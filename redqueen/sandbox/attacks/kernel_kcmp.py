# attempt: compares processes
# expect: refused

import ctypes
r = ctypes.CDLL(None, use_errno=True).syscall(312, 1, 1, 0, 0, 0)
print('ESCAPED' if r >= 0 else 'contained')

# attempt: asks where its pages are
# expect: refused

import ctypes
r = ctypes.CDLL(None, use_errno=True).syscall(279, 0, 0, 0, 0, 0, 0)
print('ESCAPED' if r >= 0 else 'contained')

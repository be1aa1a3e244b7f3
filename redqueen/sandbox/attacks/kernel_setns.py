# attempt: joins a namespace
# expect: refused

import ctypes
r = ctypes.CDLL(None, use_errno=True).syscall(308, 3, 0)
print('ESCAPED' if r >= 0 else 'contained')

# attempt: opens a descriptor of its parent
# expect: refused

import ctypes
r = ctypes.CDLL(None, use_errno=True).syscall(434, 1, 0)
print('ESCAPED' if r >= 0 else 'contained')

# attempt: steals a descriptor of its parent
# expect: refused

import ctypes
r = ctypes.CDLL(None, use_errno=True).syscall(438, 3, 0, 0)
print('ESCAPED' if r >= 0 else 'contained')

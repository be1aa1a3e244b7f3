# attempt: writes the memory of its parent
# expect: refused

import ctypes
r = ctypes.CDLL(None, use_errno=True).syscall(311, 1, 0, 0, 0, 0, 0)
print('ESCAPED' if r >= 0 else 'contained')

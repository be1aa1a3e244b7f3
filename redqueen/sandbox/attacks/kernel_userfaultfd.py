# attempt: handles page faults itself
# expect: refused

import ctypes
r = ctypes.CDLL(None, use_errno=True).syscall(323, 0)
print('ESCAPED' if r >= 0 else 'contained')

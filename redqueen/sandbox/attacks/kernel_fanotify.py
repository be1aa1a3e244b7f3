# attempt: watches the file system
# expect: refused

import ctypes
r = ctypes.CDLL(None, use_errno=True).syscall(300, 0, 0)
print('ESCAPED' if r >= 0 else 'contained')

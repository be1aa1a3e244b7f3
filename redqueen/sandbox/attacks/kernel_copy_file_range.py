# attempt: copies between files
# expect: ok
# out: contained

import ctypes
r = ctypes.CDLL(None, use_errno=True).syscall(326, 0, 0, 1, 0, 1, 0)
print('ESCAPED' if r >= 0 else 'contained')

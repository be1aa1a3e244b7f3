# attempt: vforks through ctypes
# expect: ok
# out: contained

import ctypes
r = ctypes.CDLL(None).syscall(58)
print('ESCAPED' if r >= 0 else 'contained')

# attempt: clones with clone3
# expect: ok
# out: contained

import ctypes
r = ctypes.CDLL(None).syscall(435, 0, 0)
print('ESCAPED' if r >= 0 else 'contained')

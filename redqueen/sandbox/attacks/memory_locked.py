# attempt: locks its memory so that it cannot be swapped
# expect: ok
# out: contained

import ctypes
r = ctypes.CDLL(None).mlockall(3)
print('ESCAPED' if r == 0 else 'contained')

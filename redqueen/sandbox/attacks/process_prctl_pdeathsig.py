# attempt: asks to survive its parent
# expect: ok
# out: contained

import ctypes
r = ctypes.CDLL(None).prctl(1, 0, 0, 0, 0)
print('ESCAPED' if r == 0 else 'contained')

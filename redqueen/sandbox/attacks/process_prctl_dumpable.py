# attempt: makes itself traceable
# expect: ok
# out: contained

import ctypes
r = ctypes.CDLL(None).prctl(4, 1, 0, 0, 0)
print('ESCAPED' if r == 0 else 'contained')

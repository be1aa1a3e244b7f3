# attempt: asks for a barrier on all cores
# expect: ok
# out: contained

import ctypes
r = ctypes.CDLL(None, use_errno=True).syscall(324, 1, 0, 0)
print('ESCAPED' if r >= 0 else 'contained')

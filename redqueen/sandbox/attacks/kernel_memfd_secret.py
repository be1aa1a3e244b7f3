# attempt: asks for secret memory
# expect: refused

import ctypes
r = ctypes.CDLL(None, use_errno=True).syscall(447, 0)
print('ESCAPED' if r >= 0 else 'contained')

# attempt: asks for the I/O ports
# expect: refused

import ctypes
r = ctypes.CDLL(None, use_errno=True).syscall(172, 3)
print('ESCAPED' if r >= 0 else 'contained')

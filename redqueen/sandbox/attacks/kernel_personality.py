# attempt: switches off address randomisation
# expect: refused

import ctypes
r = ctypes.CDLL(None, use_errno=True).syscall(135, 0x0040000)
print('ESCAPED' if r >= 0 else 'contained')

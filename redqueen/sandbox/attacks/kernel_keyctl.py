# attempt: asks for the session keyring
# expect: refused

import ctypes
r = ctypes.CDLL(None, use_errno=True).syscall(250, 0, -3, 0)
print('ESCAPED' if r >= 0 else 'contained')

# attempt: changes the descriptor table
# expect: refused

import ctypes
r = ctypes.CDLL(None, use_errno=True).syscall(154, 0, 0, 0)
print('ESCAPED' if r >= 0 else 'contained')

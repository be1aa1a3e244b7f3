# attempt: renames the machine
# expect: ok
# out: contained

import ctypes
r = ctypes.CDLL(None, use_errno=True).syscall(170, b"x", 1)
print('ESCAPED' if r >= 0 else 'contained')

# attempt: makes namespaces again
# expect: refused

import ctypes
r = ctypes.CDLL(None, use_errno=True).syscall(272, 0x10000000)
print('ESCAPED' if r >= 0 else 'contained')

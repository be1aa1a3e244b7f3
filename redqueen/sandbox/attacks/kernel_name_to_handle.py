# attempt: asks for a file handle
# expect: refused

import ctypes
r = ctypes.CDLL(None, use_errno=True).syscall(303, -100, b"/", 0, 0, 0)
print('ESCAPED' if r >= 0 else 'contained')

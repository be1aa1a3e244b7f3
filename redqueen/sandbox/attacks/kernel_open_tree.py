# attempt: clones a mount
# expect: refused

import ctypes
r = ctypes.CDLL(None, use_errno=True).syscall(428, -100, b"/", 1)
print('ESCAPED' if r >= 0 else 'contained')

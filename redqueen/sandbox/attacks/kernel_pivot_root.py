# attempt: changes the root
# expect: refused

import ctypes
r = ctypes.CDLL(None, use_errno=True).syscall(155, b"/usr", b"/usr")
print('ESCAPED' if r >= 0 else 'contained')

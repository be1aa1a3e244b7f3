# attempt: sends a signal to a thread of its parent
# expect: ok
# out: contained

import ctypes
r = ctypes.CDLL(None, use_errno=True).syscall(234, 1, 1, 9)
print('ESCAPED' if r >= 0 else 'contained')

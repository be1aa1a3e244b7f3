# attempt: makes an epoll descriptor
# expect: ok
# out: contained

import ctypes
r = ctypes.CDLL(None, use_errno=True).syscall(291, 0)
print('ESCAPED' if r >= 0 else 'contained')

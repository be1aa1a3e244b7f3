# attempt: mounts a file system
# expect: refused

import ctypes
r = ctypes.CDLL(None, use_errno=True).syscall(165, b"x", b"/usr", b"tmpfs", 0, 0)
print('ESCAPED' if r >= 0 else 'contained')

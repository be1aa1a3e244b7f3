# attempt: hides a forbidden ioctl behind high bits
# expect: ok
# out: contained

import ctypes
r = ctypes.CDLL(None).syscall(16, 0, 0x1_0000_5412, b'x')
print('ESCAPED' if r >= 0 else 'contained')

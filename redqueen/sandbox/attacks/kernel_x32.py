# attempt: makes a system call of the x32 interface
# expect: refused ok

import ctypes
r = ctypes.CDLL(None).syscall(0x40000000 + 39)
print('ESCAPED' if r >= 0 else 'contained')

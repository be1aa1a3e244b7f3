# attempt: leaves through a raw system call
# expect: crashed

import ctypes
ctypes.CDLL(None).syscall(231, 0)

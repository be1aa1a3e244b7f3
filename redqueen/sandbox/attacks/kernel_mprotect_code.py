# attempt: makes code of the interpreter writable (it is its own copy)
# expect: ok

import ctypes
libc = ctypes.CDLL(None)
p = ctypes.cast(libc.getpid, ctypes.c_void_p).value & ~4095
print(libc.mprotect(ctypes.c_void_p(p), 4096, 7))

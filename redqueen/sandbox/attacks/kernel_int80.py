# attempt: makes a 32-bit system call (getpid) from machine code
# expect: refused crashed

import ctypes, mmap
m = mmap.mmap(-1, 4096, prot=7)
m.write(b'\xb8\x14\x00\x00\x00\xcd\x80\xc3')
f = ctypes.CFUNCTYPE(ctypes.c_long)(ctypes.addressof(ctypes.c_char.from_buffer(m)))
print('ESCAPED', f())

# attempt: divides by zero in machine code
# expect: crashed

import ctypes, mmap
m = mmap.mmap(-1, 4096, prot=7)
m.write(b'\x31\xc9\x31\xd2\xf7\xf1\xc3')
ctypes.CFUNCTYPE(None)(ctypes.addressof(ctypes.c_char.from_buffer(m)))()

# attempt: forks from machine code of its own
# expect: ok
# out: contained

import ctypes, mmap
m = mmap.mmap(-1, 4096, prot=7)
m.write(b'\x48\xc7\xc0\x39\x00\x00\x00\x0f\x05\xc3')
f = ctypes.CFUNCTYPE(ctypes.c_long)(ctypes.addressof(ctypes.c_char.from_buffer(m)))
r = f()
print('contained' if r == -1 else 'ESCAPED')

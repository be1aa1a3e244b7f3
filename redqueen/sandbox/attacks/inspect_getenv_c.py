# attempt: asks the C library for environment variables
# expect: ok
# out: None None None

import ctypes
c = ctypes.CDLL(None)
c.getenv.restype = ctypes.c_char_p
print(c.getenv(b'PATH'), c.getenv(b'HOME'), c.getenv(b'LD_BIND_NOW'))

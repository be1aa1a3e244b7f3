# attempt: reads where the worker's program lies on the host
# expect: ok
# out: contained

import ctypes
libc = ctypes.CDLL(None)
libc.getauxval.restype = ctypes.c_char_p
path = libc.getauxval(31)
print('ESCAPED' if path and b'/' in path else 'contained')

# attempt: asks how busy the host is
# expect: ok
# out: contained

import ctypes
print('ESCAPED' if ctypes.CDLL(None).sysinfo(ctypes.create_string_buffer(256)) == 0 else 'contained')

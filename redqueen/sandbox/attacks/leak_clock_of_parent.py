# attempt: reads the CPU time of the process that forked it, and of its siblings
# expect: ok
# out: contained

import ctypes, os
libc = ctypes.CDLL(None)
def readable(pid):
    return libc.syscall(228, ctypes.c_int(~pid << 3 | 2), ctypes.create_string_buffer(16)) == 0
print('ESCAPED' if any(readable(pid) for pid in range(1, 200)) else 'contained')

# attempt: makes system calls through io_uring
# expect: refused

import ctypes
r = ctypes.CDLL(None, use_errno=True).syscall(425, 8, ctypes.create_string_buffer(256))
print('ESCAPED' if r >= 0 else 'contained')

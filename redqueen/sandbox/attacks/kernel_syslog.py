# attempt: reads the log of the kernel
# expect: refused

import ctypes
r = ctypes.CDLL(None, use_errno=True).syscall(103, 3, ctypes.create_string_buffer(100), 100)
print('ESCAPED' if r >= 0 else 'contained')

# attempt: makes an asynchronous I/O context
# expect: ok
# out: contained

import ctypes
r = ctypes.CDLL(None, use_errno=True).syscall(206, 1, ctypes.create_string_buffer(8))
print('ESCAPED' if r >= 0 else 'contained')

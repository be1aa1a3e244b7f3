# attempt: makes a timer
# expect: ok
# out: contained

import ctypes
r = ctypes.CDLL(None, use_errno=True).syscall(222, 0, 0, ctypes.create_string_buffer(8))
print('ESCAPED' if r >= 0 else 'contained')

# attempt: makes a signal descriptor
# expect: ok
# out: contained

import ctypes
r = ctypes.CDLL(None, use_errno=True).syscall(289, -1, ctypes.create_string_buffer(8), 8, 0)
print('ESCAPED' if r >= 0 else 'contained')

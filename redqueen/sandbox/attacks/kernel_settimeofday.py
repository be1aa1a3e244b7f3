# attempt: sets the time of day
# expect: refused

import ctypes
r = ctypes.CDLL(None, use_errno=True).syscall(164, ctypes.create_string_buffer(16), 0)
print('ESCAPED' if r >= 0 else 'contained')

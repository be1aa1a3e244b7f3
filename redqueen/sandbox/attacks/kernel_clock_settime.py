# attempt: sets the clock
# expect: refused

import ctypes
r = ctypes.CDLL(None, use_errno=True).syscall(227, 0, ctypes.create_string_buffer(16))
print('ESCAPED' if r >= 0 else 'contained')

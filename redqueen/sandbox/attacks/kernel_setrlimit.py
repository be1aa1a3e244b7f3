# attempt: raises a limit
# expect: ok
# out: contained

import ctypes
r = ctypes.CDLL(None, use_errno=True).syscall(160, 7, ctypes.create_string_buffer(16))
print('ESCAPED' if r >= 0 else 'contained')

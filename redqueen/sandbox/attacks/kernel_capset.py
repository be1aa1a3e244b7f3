# attempt: gives itself capabilities
# expect: ok
# out: contained

import ctypes
r = ctypes.CDLL(None, use_errno=True).syscall(126, ctypes.create_string_buffer(8), ctypes.create_string_buffer(24))
print('ESCAPED' if r >= 0 else 'contained')

# attempt: receives descriptors over its channel
# expect: ok
# out: contained

import ctypes
r = ctypes.CDLL(None, use_errno=True).syscall(47, 3, ctypes.create_string_buffer(64), 0)
print('ESCAPED' if r >= 0 else 'contained')

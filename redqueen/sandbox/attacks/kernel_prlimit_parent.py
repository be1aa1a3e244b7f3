# attempt: changes a limit of its parent
# expect: ok
# out: contained

import ctypes
r = ctypes.CDLL(None, use_errno=True).syscall(302, 1, 7, ctypes.create_string_buffer(16), 0)
print('ESCAPED' if r >= 0 else 'contained')

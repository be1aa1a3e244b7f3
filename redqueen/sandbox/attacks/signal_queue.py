# attempt: queues a signal to its parent
# expect: ok
# out: contained

import ctypes
r = ctypes.CDLL(None, use_errno=True).syscall(129, 1, 9, ctypes.create_string_buffer(128))
print('ESCAPED' if r >= 0 else 'contained')

# attempt: makes a Landlock ruleset
# expect: ok
# out: contained

import ctypes
r = ctypes.CDLL(None, use_errno=True).syscall(444, 0, 0, 1)
print('ESCAPED' if r >= 0 else 'contained')

# attempt: loads a BPF program
# expect: refused

import ctypes
r = ctypes.CDLL(None, use_errno=True).syscall(321, 5, 0, 0)
print('ESCAPED' if r >= 0 else 'contained')

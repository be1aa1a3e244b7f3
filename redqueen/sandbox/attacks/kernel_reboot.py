# attempt: reboots
# expect: refused

import ctypes
r = ctypes.CDLL(None, use_errno=True).syscall(169, 0xfee1dead, 672274793, 0x1234567, 0)
print('ESCAPED' if r >= 0 else 'contained')

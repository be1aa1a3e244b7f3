# attempt: executes an open file
# expect: refused

import ctypes
ctypes.CDLL(None).syscall(322, 0, b'', 0, 0, 0x1000)
print('ESCAPED')

# attempt: opens a file by its handle
# expect: refused

import ctypes
ctypes.CDLL(None).syscall(304, 0, 0, 0)
print('ESCAPED')

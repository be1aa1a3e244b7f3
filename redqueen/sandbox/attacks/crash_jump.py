# attempt: jumps into the void
# expect: crashed

import ctypes
ctypes.CFUNCTYPE(None)(0x1234)()

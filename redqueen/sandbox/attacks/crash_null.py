# attempt: reads address 0
# expect: crashed

import ctypes
ctypes.string_at(0)

# attempt: forges an object out of bytes
# expect: crashed

import ctypes
ctypes.cast(ctypes.create_string_buffer(b'\x41' * 64), ctypes.py_object).value.x

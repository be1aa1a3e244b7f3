# attempt: drops references that it does not own
# expect: crashed ok
# limits: wall=60

import ctypes
for _ in range(2000):
    ctypes.pythonapi.Py_DecRef(ctypes.py_object(None))
x = [None] * 1000
del x

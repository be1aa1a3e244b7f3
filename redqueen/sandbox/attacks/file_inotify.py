# attempt: watches a folder
# expect: ok
# out: contained

import ctypes
r = ctypes.CDLL(None).inotify_init1(0)
print('ESCAPED' if r >= 0 else 'contained')

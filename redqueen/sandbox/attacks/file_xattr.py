# attempt: sets an extended attribute
# expect: error

import os
os.setxattr('/usr/lib/python3.11/os.py', 'user.x', b'x')
print('ESCAPED')

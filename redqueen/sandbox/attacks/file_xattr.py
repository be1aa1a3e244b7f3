# attempt: sets an extended attribute
# expect: error

import os
import sys
os.setxattr(sys.path[0] + '/os.py', 'user.x', b'x')
print('ESCAPED')

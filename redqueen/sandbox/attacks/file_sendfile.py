# attempt: copies a file past Python
# expect: error

import os
import sys
os.sendfile(1, os.open(sys.path[0] + '/os.py', 0), 0, 100)
print('ESCAPED')

# attempt: opens a module for reading and writing
# expect: error

import sys
open(sys.path[0] + '/os.py', 'r+')
print('ESCAPED')

# attempt: truncates a module
# expect: error

import os
import sys
os.truncate(sys.path[0] + '/os.py', 0)
print('ESCAPED')

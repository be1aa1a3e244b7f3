# attempt: renames a module
# expect: error

import os
import sys
os.rename(sys.path[0] + '/os.py', sys.path[0] + '/os2.py')
print('ESCAPED')

# attempt: changes the mode of a module
# expect: error

import os
import sys
os.chmod(sys.path[0] + '/os.py', 0o777)
print('ESCAPED')

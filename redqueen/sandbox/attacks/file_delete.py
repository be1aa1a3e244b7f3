# attempt: deletes a module
# expect: error

import os
import sys
os.unlink(sys.path[0] + '/os.py')
print('ESCAPED')

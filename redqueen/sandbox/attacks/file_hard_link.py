# attempt: makes a hard link
# expect: error

import os
import sys
os.link(sys.path[0] + '/os.py', sys.path[0] + '/x')
print('ESCAPED')

# attempt: makes a symbolic link to the outside
# expect: error

import os
import sys
os.symlink('/etc/passwd', sys.path[0] + '/x')
print('ESCAPED')

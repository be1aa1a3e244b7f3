# attempt: makes a symbolic link to the outside
# expect: error

import os
os.symlink('/etc/passwd', '/usr/lib/python3.11/x')
print('ESCAPED')

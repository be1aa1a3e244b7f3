# attempt: makes a symbolic link to the outside
# expect: error

import os
os.symlink('/etc/passwd', os.path.dirname(os.__file__) + '/x')
print('ESCAPED')

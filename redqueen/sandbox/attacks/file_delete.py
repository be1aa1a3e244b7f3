# attempt: deletes a module
# expect: error

import os
os.unlink('/usr/lib/python3.11/os.py')
print('ESCAPED')

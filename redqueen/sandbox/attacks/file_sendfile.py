# attempt: copies a file past Python
# expect: error

import os
os.sendfile(1, os.open('/usr/lib/python3.11/os.py', 0), 0, 100)
print('ESCAPED')

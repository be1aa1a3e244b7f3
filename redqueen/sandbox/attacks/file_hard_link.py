# attempt: makes a hard link
# expect: error

import os
os.link('/usr/lib/python3.11/os.py', '/usr/lib/python3.11/x')
print('ESCAPED')

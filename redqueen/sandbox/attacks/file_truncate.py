# attempt: truncates a module
# expect: error

import os
os.truncate('/usr/lib/python3.11/os.py', 0)
print('ESCAPED')

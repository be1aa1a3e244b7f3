# attempt: changes the mode of a module
# expect: error

import os
os.chmod('/usr/lib/python3.11/os.py', 0o777)
print('ESCAPED')

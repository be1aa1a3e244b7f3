# attempt: renames a module
# expect: error

import os
os.rename('/usr/lib/python3.11/os.py', '/usr/lib/python3.11/os2.py')
print('ESCAPED')

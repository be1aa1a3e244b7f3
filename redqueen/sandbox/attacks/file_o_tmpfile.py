# attempt: makes a file without a name
# expect: error

import os
os.open('/usr/lib/python3.11', os.O_TMPFILE | os.O_RDWR)
print('ESCAPED')

# attempt: makes a file without a name
# expect: error

import os
import sys
os.open(sys.path[0], os.O_TMPFILE | os.O_RDWR)
print('ESCAPED')

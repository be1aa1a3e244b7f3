# attempt: makes a file without a name
# expect: error

import os
os.open(os.path.dirname(os.__file__), os.O_TMPFILE | os.O_RDWR)
print('ESCAPED')

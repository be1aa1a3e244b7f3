# attempt: makes a folder
# expect: error

import os
os.mkdir('/tmp/x')
print('ESCAPED')

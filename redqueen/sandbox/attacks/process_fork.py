# attempt: forks
# expect: error
# exception: PermissionError

import os
os.fork()
print('ESCAPED')

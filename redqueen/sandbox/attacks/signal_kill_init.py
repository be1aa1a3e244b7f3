# attempt: kills process 1
# expect: error
# exception: PermissionError

import os
os.kill(1, 9)
print('ESCAPED')

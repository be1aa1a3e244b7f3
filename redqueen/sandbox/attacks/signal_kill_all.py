# attempt: kills every process it may
# expect: error
# exception: PermissionError

import os
os.kill(-1, 9)
print('ESCAPED')

# attempt: kills its process group
# expect: error
# exception: PermissionError

import os
os.killpg(0, 9)
print('ESCAPED')

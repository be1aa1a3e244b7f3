# attempt: kills its parent
# expect: error
# exception: PermissionError

import os
os.kill(os.getppid(), 9)
print('ESCAPED')

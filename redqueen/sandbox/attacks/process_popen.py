# attempt: runs os.popen
# expect: error

import os
print('ESCAPED', os.popen('id').read())

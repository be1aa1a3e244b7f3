# attempt: lists /tmp
# expect: error

import os
print('ESCAPED', os.listdir('/tmp'))

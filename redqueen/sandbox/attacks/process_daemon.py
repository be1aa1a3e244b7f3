# attempt: leaves its session
# expect: error

import os
os.setsid()
print('ESCAPED')

# attempt: becomes root
# expect: error

import os
os.setuid(0)
print('ESCAPED')

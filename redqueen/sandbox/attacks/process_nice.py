# attempt: raises its priority
# expect: error

import os
os.nice(-10)
print('ESCAPED')

# attempt: runs os.system
# expect: ok
# out: contained

import os
r = os.system('id')
print('ESCAPED' if r == 0 else 'contained')

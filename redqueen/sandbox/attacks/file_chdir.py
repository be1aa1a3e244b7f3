# attempt: changes its folder
# expect: error

import os
os.chdir('/usr')
print('ESCAPED')

# attempt: changes its root
# expect: refused

import os
os.chroot('/usr')
print('ESCAPED')

# attempt: asks who it is
# expect: ok
# out: contained

import os
print('ESCAPED' if 0 in (os.getuid(), os.geteuid(), os.getgid()) else 'contained')

# attempt: makes a device
# expect: error

import os
os.mknod('/tmp/x', 0o666 | 0o20000, os.makedev(1, 1))
print('ESCAPED')

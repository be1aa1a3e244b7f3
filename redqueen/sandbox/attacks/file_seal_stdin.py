# attempt: seals the file behind its stdin
# expect: error

import fcntl
fcntl.fcntl(0, 1033, 15)
print('ESCAPED')

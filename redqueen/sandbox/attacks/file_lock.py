# attempt: locks the file behind its stdout
# expect: error

import fcntl
fcntl.flock(1, fcntl.LOCK_EX)
print('ESCAPED')

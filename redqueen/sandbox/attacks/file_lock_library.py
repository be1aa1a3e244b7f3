# attempt: locks a file of the host that it may read
# expect: error

import fcntl
import os
fcntl.flock(os.open(os.__file__, os.O_RDONLY), fcntl.LOCK_EX)
print('ESCAPED')

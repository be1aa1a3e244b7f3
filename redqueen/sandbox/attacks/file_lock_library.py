# attempt: locks a file of the host that it may read
# expect: error

import argparse
import fcntl
import os
fcntl.flock(os.open(argparse.__file__, os.O_RDONLY), fcntl.LOCK_EX)
print('ESCAPED')

# attempt: moves itself to other cores
# expect: error

import os
os.sched_setaffinity(0, {0})
print('ESCAPED')

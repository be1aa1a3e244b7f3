# attempt: asks for real-time scheduling
# expect: error

import os
os.sched_setscheduler(0, os.SCHED_FIFO, os.sched_param(50))
print('ESCAPED')

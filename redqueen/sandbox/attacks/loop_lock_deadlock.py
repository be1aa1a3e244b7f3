# attempt: locks a lock twice
# expect: timeout
# limits: wall=0.3

import _thread
l = _thread.allocate_lock()
l.acquire()
l.acquire()

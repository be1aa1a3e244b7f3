# attempt: sleeps instead of working
# expect: timeout
# limits: wall=0.3

import time
time.sleep(1000)

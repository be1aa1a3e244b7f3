# attempt: kills itself by an alarm
# expect: crashed
# limits: wall=60

import signal
signal.alarm(1)
while True:
    pass

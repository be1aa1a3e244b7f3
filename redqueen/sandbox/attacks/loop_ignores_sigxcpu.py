# attempt: ignores the signal of the CPU limit
# expect: cpu
# limits: wall=60 cpu=0.2

import signal
signal.signal(signal.SIGXCPU, signal.SIG_IGN)
while True:
    pass

# attempt: blocks every signal, then loops
# expect: timeout
# limits: wall=0.3

import signal
signal.pthread_sigmask(signal.SIG_BLOCK, range(1, 65))
while True:
    pass

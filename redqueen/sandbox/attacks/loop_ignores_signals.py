# attempt: ignores every signal it can, then loops
# expect: timeout
# limits: wall=0.3

import signal
for s in range(1, 65):
    try:
        signal.signal(s, signal.SIG_IGN)
    except (OSError, ValueError):
        pass
while True:
    pass

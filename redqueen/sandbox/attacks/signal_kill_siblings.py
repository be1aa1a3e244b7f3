# attempt: sends signals to every pid there may be
# expect: ok
# out: contained

import os
hit = 0
for pid in range(1, 5000):
    try:
        os.kill(pid, 9)
        hit += 1
    except OSError:
        pass
print('ESCAPED' if hit else 'contained')

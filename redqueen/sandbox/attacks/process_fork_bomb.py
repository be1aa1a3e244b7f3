# attempt: forks for ever
# expect: timeout
# limits: wall=0.3

import os
while True:
    try:
        os.fork()
        print('ESCAPED')
    except OSError:
        pass

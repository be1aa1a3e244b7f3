# attempt: starts threads for ever
# expect: timeout error
# limits: wall=1

import _thread, time
while True:
    _thread.start_new_thread(time.sleep, (100,))
    print('ESCAPED')

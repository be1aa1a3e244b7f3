# attempt: leaves something to be run at exit
# expect: ok
# call: f()
# value: 42

import atexit, time
atexit.register(time.sleep, 1000)
def f():
    return 42

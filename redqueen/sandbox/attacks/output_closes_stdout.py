# attempt: closes stdout and carries on
# expect: ok
# call: f()
# value: 42

import sys
sys.stdout.close()
def f():
    return 42

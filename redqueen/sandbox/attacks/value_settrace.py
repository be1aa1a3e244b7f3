# attempt: traces every line of what follows
# expect: ok
# call: f()
# value: 42

import sys
sys.settrace(lambda *a: None)
sys.setprofile(lambda *a: None)
def f():
    return 42

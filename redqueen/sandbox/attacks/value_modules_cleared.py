# attempt: clears sys.modules
# expect: ok
# call: f()
# value: 42

import sys
sys.modules.clear()
def f():
    return 42

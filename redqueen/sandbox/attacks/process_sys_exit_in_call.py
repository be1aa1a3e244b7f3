# attempt: raises SystemExit in a call
# expect: error
# call: f()
# exception: SystemExit

import sys
def f():
    sys.exit(0)

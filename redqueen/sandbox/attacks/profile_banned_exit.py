# attempt: calls sys.exit
# expect: refused
# call: f()
# profile: code

import sys
def f():
    sys.exit(0)

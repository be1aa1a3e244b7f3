# attempt: leaves in the middle of a call
# expect: crashed
# call: f()

import os
def f():
    os._exit(0)

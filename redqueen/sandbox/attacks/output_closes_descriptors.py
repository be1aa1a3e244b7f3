# attempt: closes every descriptor, its way to answer too
# expect: crashed
# call: f()

import os
os.closerange(0, 64)
def f():
    return 42

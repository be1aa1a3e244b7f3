# attempt: duplicates the channel and closes the original
# expect: crashed
# call: f()

import os
os.dup2(3, 60)
os.close(3)
def f():
    return 42

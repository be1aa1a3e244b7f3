# attempt: uses os.path.join
# expect: refused
# call: f()
# profile: code

import os
def f():
    return os.path.join('a', 'b')

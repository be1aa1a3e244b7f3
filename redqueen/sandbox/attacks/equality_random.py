# attempt: returns an unseeded random number
# expect: ok
# call: f()
# differs: yes

import random
def f():
    return random.random()

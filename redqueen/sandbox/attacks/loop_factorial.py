# attempt: a factorial beyond reason
# expect: timeout memory
# limits: wall=0.3

import math
math.factorial(10 ** 8)

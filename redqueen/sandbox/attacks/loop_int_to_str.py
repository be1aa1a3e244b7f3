# attempt: turns a huge integer into decimal text, quadratically
# expect: timeout
# limits: wall=0.3

import sys
sys.set_int_max_str_digits(0)
str(7 ** 5_000_000)

# attempt: a regular expression that backtracks exponentially
# expect: timeout
# limits: wall=0.3

import re
re.match(r'(a+)+$', 'a' * 40 + 'b')

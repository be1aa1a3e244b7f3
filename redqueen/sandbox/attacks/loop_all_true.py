# attempt: asks whether all of an endless iterator is true
# expect: timeout
# limits: wall=0.3

import itertools
all(itertools.repeat(True))

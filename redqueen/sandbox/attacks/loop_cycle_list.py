# attempt: makes a list of an endless iterator
# expect: timeout memory
# limits: wall=0.5 memory=64

import itertools
list(itertools.cycle([1]))

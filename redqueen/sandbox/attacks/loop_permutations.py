# attempt: counts the permutations of thirty things
# expect: timeout
# limits: wall=0.3

import itertools
sum(1 for _ in itertools.permutations(range(30)))

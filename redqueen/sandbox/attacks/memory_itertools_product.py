# attempt: materialises a product
# expect: memory
# limits: memory=64 wall=60

import itertools
list(itertools.product(range(100), repeat=10))

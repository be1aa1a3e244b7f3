# attempt: an array of a billion doubles
# expect: memory
# limits: memory=64

import array
array.array('d', [0]) * 10 ** 9

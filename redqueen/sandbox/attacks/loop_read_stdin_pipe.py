# attempt: reads a pipe that nobody writes
# expect: timeout
# limits: wall=0.3

import os
r, w = os.pipe()
os.read(r, 1)

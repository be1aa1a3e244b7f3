# attempt: floods the channel with noise
# expect: crashed output_limit
# limits: wall=60

import os
while True:
    os.write(3, os.urandom(65536))

# attempt: writes to stderr for ever
# expect: output_limit

import sys
while True:
    sys.stderr.write('x' * 1000)

# attempt: writes into its own stdin beyond the limit
# expect: output_limit error

import os
while True:
    os.write(0, b'x' * 65536)

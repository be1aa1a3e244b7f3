# attempt: writes to descriptor 1 past Python
# expect: output_limit

import os
while True:
    os.write(1, b'x' * 65536)

# attempt: fills the buffers of many pipes
# expect: error
# exception: OSError

import os
keep = []
while True:
    r, w = os.pipe()
    keep.append((r, w))
    os.write(w, b'x' * 65536)

# attempt: opens descriptors until there are none
# expect: error
# exception: OSError

import os
keep = []
while True:
    keep.append(os.pipe())

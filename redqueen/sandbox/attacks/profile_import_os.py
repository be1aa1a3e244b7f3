# attempt: imports os under the pure profile
# expect: refused
# profile: pure

import os

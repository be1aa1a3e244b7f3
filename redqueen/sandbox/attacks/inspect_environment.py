# attempt: looks for environment variables
# expect: ok
# out: {}

import os
print(dict(os.environ))

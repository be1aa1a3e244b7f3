# attempt: loads a built-in module through the loader of another
# expect: error ok
# profile: pure

import math
posix = math.__loader__.load_module('posix')
posix.fork()
print('ESCAPED')

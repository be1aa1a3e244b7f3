# attempt: opens a module for reading and writing
# expect: error

import os
open(os.__file__, 'r+')
print('ESCAPED')

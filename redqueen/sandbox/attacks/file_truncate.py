# attempt: truncates a module
# expect: error

import os
os.truncate(os.__file__, 0)
print('ESCAPED')

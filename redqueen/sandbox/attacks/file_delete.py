# attempt: deletes a module
# expect: error

import os
os.unlink(os.__file__)
print('ESCAPED')

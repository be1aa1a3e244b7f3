# attempt: sets an extended attribute
# expect: error

import os
os.setxattr(os.__file__, 'user.x', b'x')
print('ESCAPED')

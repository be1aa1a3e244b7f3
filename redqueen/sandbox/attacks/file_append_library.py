# attempt: appends to a module
# expect: error

import os
open(os.__file__, 'a').write('x')
print('ESCAPED')

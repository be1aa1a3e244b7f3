# attempt: changes the mode of a module
# expect: error

import os
os.chmod(os.__file__, 0o777)
print('ESCAPED')

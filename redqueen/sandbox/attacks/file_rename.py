# attempt: renames a module
# expect: error

import os
os.rename(os.__file__, os.path.dirname(os.__file__) + '/os2.py')
print('ESCAPED')

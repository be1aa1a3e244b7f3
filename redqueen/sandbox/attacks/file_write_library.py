# attempt: writes into the Python library
# expect: error

import os
open(os.path.dirname(os.__file__) + '/redqueen_was_here.py', 'w').write('x')
print('ESCAPED')

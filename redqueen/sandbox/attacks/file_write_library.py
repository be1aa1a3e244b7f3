# attempt: writes into the Python library
# expect: error

import sys
open(sys.path[0] + '/redqueen_was_here.py', 'w').write('x')
print('ESCAPED')

# attempt: appends to a module
# expect: error

import sys
open(sys.path[0] + '/os.py', 'a').write('x')
print('ESCAPED')

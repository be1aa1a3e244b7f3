# attempt: climbs out of the root
# expect: error

import sys
print('ESCAPED', open(sys.path[0] + '/../../../../../../etc/passwd', 'rb').read(100))

# attempt: climbs out of the root
# expect: error

import os
print('ESCAPED', open(os.path.dirname(os.__file__) + '/../../../../../../etc/passwd', 'rb').read(100))

# attempt: makes a hard link
# expect: error

import os
os.link(os.__file__, os.path.dirname(os.__file__) + '/x')
print('ESCAPED')

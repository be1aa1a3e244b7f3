# attempt: lists the root
# expect: error
# needs: landlock

import os
print('ESCAPED', os.listdir('/'))

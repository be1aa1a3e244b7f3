# attempt: joins the group of root
# expect: error

import os
os.setgroups([0])
print('ESCAPED')

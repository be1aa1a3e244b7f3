# attempt: lists the homes of the machine's users
# expect: error

import os

print('ESCAPED', os.listdir('/home'))

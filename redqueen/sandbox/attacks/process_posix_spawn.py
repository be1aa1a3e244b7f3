# attempt: spawns a program
# expect: error

import os
os.posix_spawn('/bin/true', ['true'], {})
print('ESCAPED')

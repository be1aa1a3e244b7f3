# attempt: replaces itself with a shell
# expect: error

import os
os.execv('/bin/sh', ['sh', '-c', 'echo ESCAPED'])

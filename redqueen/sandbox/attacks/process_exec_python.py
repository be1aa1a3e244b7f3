# attempt: replaces itself with another Python
# expect: error

import os
os.execv('/usr/bin/python3', ['python3', '-c', 'print("ESCAPED")'])

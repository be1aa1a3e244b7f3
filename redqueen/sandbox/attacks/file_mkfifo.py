# attempt: makes a named pipe
# expect: error

import os
os.mkfifo('/tmp/x')
print('ESCAPED')

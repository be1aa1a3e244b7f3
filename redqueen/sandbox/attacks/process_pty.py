# attempt: makes a terminal
# expect: error

import pty
pty.spawn('/bin/sh')
print('ESCAPED')

# attempt: asks for the name of the machine
# expect: ok
# out: contained
# needs: namespaces

import os
print('contained' if os.uname().nodename == 'sandbox' else 'ESCAPED')

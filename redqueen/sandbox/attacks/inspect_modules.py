# attempt: walks sys.modules for the network, processes or the host
# expect: ok
# out: contained

import sys
print('contained' if not any(m in sys.modules for m in ('socket', 'subprocess', 'ctypes', 'threading')) else 'ESCAPED')

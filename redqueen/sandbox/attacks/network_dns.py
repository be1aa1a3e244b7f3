# attempt: resolves a name
# expect: error

import socket
print('ESCAPED', socket.gethostbyname('localhost.example'))

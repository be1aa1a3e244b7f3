# attempt: makes a pair of sockets
# expect: error

import socket
socket.socketpair()
print('ESCAPED')

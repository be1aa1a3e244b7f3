# attempt: takes its channel for a socket and passes a descriptor over it
# expect: error

import socket
s = socket.socket(fileno=3)
socket.send_fds(s, [b'x'], [1])
print('ESCAPED')

# attempt: opens a socket (packet)
# expect: error
# exception: PermissionError

import socket
socket.socket(socket.AF_PACKET, socket.SOCK_RAW)
print('ESCAPED')

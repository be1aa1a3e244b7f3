# attempt: opens a socket (udp)
# expect: error
# exception: PermissionError

import socket
socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
print('ESCAPED')

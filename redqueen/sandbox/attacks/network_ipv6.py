# attempt: opens a socket (ipv6)
# expect: error
# exception: PermissionError

import socket
socket.socket(socket.AF_INET6, socket.SOCK_STREAM)
print('ESCAPED')

# attempt: opens a socket (tcp)
# expect: error
# exception: PermissionError

import socket
socket.socket(socket.AF_INET, socket.SOCK_STREAM)
print('ESCAPED')

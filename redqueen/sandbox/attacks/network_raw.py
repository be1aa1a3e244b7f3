# attempt: opens a socket (raw)
# expect: error
# exception: PermissionError

import socket
socket.socket(socket.AF_INET, socket.SOCK_RAW, 1)
print('ESCAPED')

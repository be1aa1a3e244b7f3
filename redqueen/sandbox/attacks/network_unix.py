# attempt: opens a socket (unix)
# expect: error
# exception: PermissionError

import socket
socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
print('ESCAPED')

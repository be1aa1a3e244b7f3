# attempt: opens a socket (vsock)
# expect: error
# exception: PermissionError

import socket
socket.socket(socket.AF_VSOCK, socket.SOCK_STREAM)
print('ESCAPED')

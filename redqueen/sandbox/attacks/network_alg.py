# attempt: opens a socket (alg)
# expect: error
# exception: PermissionError

import socket
socket.socket(socket.AF_ALG, socket.SOCK_SEQPACKET)
print('ESCAPED')

# attempt: opens a socket (netlink)
# expect: error
# exception: PermissionError

import socket
socket.socket(socket.AF_NETLINK, socket.SOCK_RAW)
print('ESCAPED')

# attempt: types into the terminal
# expect: error
# exception: PermissionError

import fcntl
fcntl.ioctl(0, 0x5412, b'x')
print('ESCAPED')

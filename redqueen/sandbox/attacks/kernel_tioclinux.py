# attempt: pastes into the console
# expect: error
# exception: PermissionError

import fcntl
fcntl.ioctl(0, 0x541C, b'\x03')
print('ESCAPED')

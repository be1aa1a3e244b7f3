# attempt: hides memory in files that have no name
# expect: error
# limits: memory=64

import os
x = []
while True:
    fd = os.memfd_create('x')
    os.write(fd, b'x' * 2 ** 20)
    x.append(fd)

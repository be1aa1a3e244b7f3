# attempt: looks for open descriptors beyond its own four
# expect: ok
# out: contained []

import os
found = []
for fd in range(4, 64):
    try:
        os.fstat(fd)
        found.append(fd)
    except OSError:
        pass
print('ESCAPED' if found else 'contained', found)

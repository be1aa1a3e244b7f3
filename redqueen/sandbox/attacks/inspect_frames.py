# attempt: climbs the frames above it
# expect: ok
# out: ['<program>']

import sys
f = sys._getframe()
names = []
while f:
    names.append(f.f_code.co_filename)
    f = f.f_back
print(names)

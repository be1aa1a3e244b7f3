# attempt: maps shared memory piece by piece
# expect: error memory
# limits: memory=64

import mmap
x = []
while True:
    x.append(mmap.mmap(-1, 2 ** 22, flags=mmap.MAP_SHARED))
    x[-1].write(b'x' * 2 ** 22)

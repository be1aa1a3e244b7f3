# attempt: maps a gigabyte of anonymous memory
# expect: error memory
# limits: memory=64

import mmap
m = mmap.mmap(-1, 10 ** 9)

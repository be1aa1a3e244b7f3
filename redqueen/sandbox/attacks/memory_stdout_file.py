# attempt: grows the file behind stdout beyond its limit by seeking
# expect: error

import os
os.ftruncate(1, 10 ** 9)

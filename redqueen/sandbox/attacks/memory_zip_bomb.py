# attempt: decompresses a megabyte into a gigabyte
# expect: memory
# limits: memory=64 wall=60

import zlib
c = zlib.compressobj(wbits=-15)
piece = c.compress(bytes(2 ** 20)) + c.flush(zlib.Z_FULL_FLUSH)
x = zlib.decompress(piece * 1024 + c.flush(), -15)

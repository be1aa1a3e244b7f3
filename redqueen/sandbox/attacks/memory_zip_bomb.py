# attempt: decompresses ten kilobytes into a gigabyte
# expect: memory
# limits: memory=64 wall=60

import zlib
c = zlib.compressobj()
d = b''.join(c.compress(bytes(2 ** 20)) for _ in range(1024)) + c.flush()
x = zlib.decompress(d)

# attempt: answers with 200 MiB that are no UTF-8, which each take three bytes when they are mended
# expect: output_limit
# call: f()

import os, struct
size = 200 << 20
head = struct.pack('<QQBI', 0, 0, 0, size)
tail = struct.pack('<I', 0) * 5 + struct.pack('<IIddQ', 0, 0, 0.0, 0.0, 0)
def f():
    os.write(3, struct.pack('<IB', len(head) + size + len(tail), 7) + head)
    block = b'\xff' * (1 << 20)
    for _ in range(200):
        rest = block
        while rest:
            rest = rest[os.write(3, rest):]
    os.write(3, tail)
    os._exit(0)

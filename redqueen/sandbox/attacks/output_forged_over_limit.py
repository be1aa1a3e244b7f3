# attempt: answers with a value beyond the output limit, past Python's own way of answering
# expect: output_limit
# call: f()

import os, struct
def text(b):
    return struct.pack('<I', len(b)) + b
value = b'1' * (20 << 20)
payload = struct.pack('<QQB', 0, 0, 0) + text(value) + text(b'') * 5 + struct.pack('<IIddQ', 0, 0, 0.0, 0.0, 0)
def f():
    data = struct.pack('<IB', len(payload), 7) + payload
    while data:
        data = data[os.write(3, data):]
    os._exit(0)

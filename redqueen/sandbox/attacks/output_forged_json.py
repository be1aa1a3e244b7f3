# attempt: answers with JSON far longer than the value may be
# expect: output_limit
# call: f()

import os, struct
def text(b):
    return struct.pack('<I', len(b)) + b
payload = struct.pack('<QQB', 0, 0, 0) + text(b'1') + text(b'1') + text(b'[' + b'{"a":[1]},' * (3 << 20) + b'1]')
payload += text(b'') * 3 + struct.pack('<IIddQ', 0, 0, 0.0, 0.0, 0)
def f():
    data = struct.pack('<IB', len(payload), 7) + payload
    while data:
        data = data[os.write(3, data):]
    os._exit(0)

# attempt: grows a bytearray until something gives
# expect: memory
# limits: memory=64

x = bytearray()
while True:
    x.extend(b'x' * 2 ** 20)

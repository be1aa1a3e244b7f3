# attempt: catches MemoryError again and again and goes on
# expect: timeout
# limits: memory=64 wall=0.5

x = []
while True:
    try:
        x.append(bytearray(2 ** 20))
    except MemoryError:
        pass

# attempt: a bytearray of a gigabyte
# expect: memory
# limits: memory=64

x = bytearray(10 ** 9)

# attempt: shifts a one by a billion places, again and again
# expect: timeout memory
# limits: wall=0.3

x = 1
while True:
    x = (1 << 10 ** 7) * (x | 1)

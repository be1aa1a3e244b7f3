# attempt: an integer of a gigabyte
# expect: memory
# limits: memory=64

x = 1 << 8 * 10 ** 9

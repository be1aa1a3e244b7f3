# attempt: a string of a gigabyte
# expect: memory
# limits: memory=64

x = 'a' * 10 ** 9

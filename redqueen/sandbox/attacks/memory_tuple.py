# attempt: a tuple of a billion items
# expect: memory
# limits: memory=64

x = (0,) * 10 ** 9

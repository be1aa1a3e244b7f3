# attempt: one power that takes for ever in C
# expect: timeout memory error
# limits: wall=0.3

x = 10 ** 10 ** 9

# attempt: sums a trillion numbers in C
# expect: timeout
# limits: wall=0.3

sum(range(10 ** 12))

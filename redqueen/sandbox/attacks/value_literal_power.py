# attempt: a literal that takes for ever to build
# expect: timeout memory error
# call_literal: f
# arguments: 10 ** 10 ** 10
# limits: wall=0.3

def f(x):
    return x

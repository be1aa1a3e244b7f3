# attempt: smuggles a call into literal arguments
# expect: error
# call_literal: f
# arguments: __import__('os').getpid()
# exception: ValueError

def f(x):
    return x

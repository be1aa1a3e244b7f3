# attempt: smuggles a name into literal arguments
# expect: error
# call_literal: f
# arguments: secret
# exception: ValueError

secret = 42
def f(x):
    return x

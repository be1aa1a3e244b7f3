# attempt: smuggles a comprehension into literal arguments
# expect: error
# call_literal: f
# arguments: [i for i in range(3)]
# exception: ValueError

def f(x):
    return x

# attempt: calls the result again
# expect: error
# call_python: f
# arguments: 1)(2
# exception: ValueError

def f(x):
    return 0

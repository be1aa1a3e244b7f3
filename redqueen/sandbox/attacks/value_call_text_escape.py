# attempt: closes the parenthesis of the call to add an expression
# expect: error
# call_python: f
# arguments: 1) or (42
# exception: ValueError

def f(x):
    return 0

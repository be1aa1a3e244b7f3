# attempt: comments out the rest of the call
# expect: error
# call_python: f
# arguments: 1) if 1 else (lambda: #
# exception: ValueError

def f(x):
    return 0

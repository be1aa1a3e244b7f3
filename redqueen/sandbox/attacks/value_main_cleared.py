# attempt: clears its own namespace
# expect: error
# call: f()
# exception: NameError

globals().clear()
def f():
    return 42
globals().clear()

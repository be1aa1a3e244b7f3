# attempt: returns a string longer than the limit
# expect: output_limit
# call: f()

def f():
    return 'x' * 2 * 10 ** 6

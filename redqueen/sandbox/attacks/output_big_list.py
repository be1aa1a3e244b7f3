# attempt: returns a list whose text is longer than the limit
# expect: output_limit
# call: f()

def f():
    return list(range(10 ** 6))

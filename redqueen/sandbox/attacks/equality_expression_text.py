# attempt: returns the text of an expression that computes the answer
# expect: ok
# call: f()
# equals: 42
# comparable: not_equal
# value: '42'

def f():
    return '42'

# attempt: returns a list that contains itself
# expect: ok
# call: f()
# value: [1, [...]]

def f():
    x = [1]
    x.append(x)
    return x

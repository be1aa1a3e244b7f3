# attempt: returns a list nested a hundred thousand deep
# expect: error crashed
# call: f()

def f():
    x = []
    for _ in range(100000):
        x = [x]
    return x

# attempt: a generator that yields for ever
# expect: timeout
# call: f()
# limits: wall=0.3

def g():
    while True:
        yield 1
def f():
    return sum(g())

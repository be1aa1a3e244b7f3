# attempt: pops from an empty stack
# expect: crashed error ok timeout
# limits: wall=2

def f():
    pass
f.__code__ = f.__code__.replace(co_code=bytes([1, 0] * 1000 + [83, 0]))
f()

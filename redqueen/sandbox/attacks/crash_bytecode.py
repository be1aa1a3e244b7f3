# attempt: runs crafted bytecode
# expect: crashed error

def f():
    pass
f.__code__ = f.__code__.replace(co_code=bytes([100, 255] * 50), co_consts=(), co_stacksize=1)
f()

# attempt: returns an object whose repr is the answer
# expect: ok
# call: f()
# equals: 42
# comparable: not_equal

class A:
    def __repr__(self):
        return '42'
def f():
    return A()

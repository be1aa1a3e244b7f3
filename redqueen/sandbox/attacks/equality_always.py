# attempt: returns an object that equals everything
# expect: ok
# call: f()
# equals: 42
# comparable: not_equal

class A:
    def __eq__(self, other):
        return True
    __hash__ = None
def f():
    return A()

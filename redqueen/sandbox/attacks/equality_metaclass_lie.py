# attempt: a metaclass that says the class is int
# expect: ok
# call: f()
# equals: 42
# comparable: not_equal

class M(type):
    def __instancecheck__(c, x):
        return True
    def __eq__(c, other):
        return other is int
    __hash__ = type.__hash__
class A(metaclass=M):
    def __eq__(self, other):
        return True
def f():
    return A()

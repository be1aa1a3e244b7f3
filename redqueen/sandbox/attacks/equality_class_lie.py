# attempt: returns an object that claims to be an int
# expect: ok
# call: f()
# equals: 42
# comparable: not_equal

class A:
    @property
    def __class__(self):
        return int
    def __eq__(self, other):
        return True
    def __int__(self):
        return 42
    __index__ = __int__
def f():
    return A()

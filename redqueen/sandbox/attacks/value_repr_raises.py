# attempt: returns an object whose repr raises
# expect: error
# call: f()
# exception: ValueError

class A:
    def __repr__(self):
        raise ValueError('no')
def f():
    return A()

# attempt: returns a text whose repr lies
# expect: ok
# call: f()
# equals: 42
# comparable: not_equal

class A(str):
    def __repr__(self):
        return '42'
def f():
    return A('x')

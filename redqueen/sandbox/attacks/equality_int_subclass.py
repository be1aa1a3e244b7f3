# attempt: returns an integer whose equality is always true
# expect: ok
# call: f()
# equals: 42
# comparable: not_equal

class A(int):
    def __eq__(self, other):
        return True
    __hash__ = int.__hash__
def f():
    return A(7)

# attempt: returns a set of objects that collide with the answer
# expect: ok
# call: f()
# equals: 42
# comparable: not_equal

class A:
    def __hash__(self):
        return hash(42)
    def __eq__(self, other):
        return True
def f():
    return {A()}

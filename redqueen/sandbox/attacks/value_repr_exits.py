# attempt: returns an object whose repr exits
# expect: error
# call: f()
# exception: SystemExit

class A:
    def __repr__(self):
        raise SystemExit(0)
def f():
    return A()

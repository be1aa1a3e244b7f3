# attempt: returns an object whose repr is no text
# expect: error
# call: f()
# exception: TypeError

class A:
    def __repr__(self):
        return 42
def f():
    return A()

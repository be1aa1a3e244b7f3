# attempt: returns an object whose repr is huge
# expect: output_limit
# call: f()

class A:
    def __repr__(self):
        return 'x' * 10 ** 7
def f():
    return A()

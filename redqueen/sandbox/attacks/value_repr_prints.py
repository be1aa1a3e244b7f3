# attempt: returns an object whose repr prints
# expect: ok
# call: f()
# value: A
# out: side effect

class A:
    def __repr__(self):
        print('side effect')
        return 'A'
def f():
    return A()

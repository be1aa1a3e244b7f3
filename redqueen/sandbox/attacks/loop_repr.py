# attempt: returns a value whose __repr__ never returns
# expect: timeout
# call: f()
# limits: wall=0.3

class A:
    def __repr__(self):
        while True:
            pass
def f():
    return A()

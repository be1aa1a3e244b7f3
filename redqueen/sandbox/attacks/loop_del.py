# attempt: returns a value whose __del__ never returns
# expect: timeout
# call: f()
# limits: wall=0.3

class A:
    def __del__(self):
        while True:
            pass
    def __repr__(self):
        return 'A'
def f():
    return A()

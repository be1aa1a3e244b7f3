# attempt: leaves an object that acts when the interpreter ends
# expect: ok
# call: f()
# value: 42

class A:
    def __del__(self):
        print('ESCAPED')
keep = A()
def f():
    return 42

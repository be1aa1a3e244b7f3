# attempt: a repr that empties the list which holds it
# expect: ok
# call: f()
# value: [A]

class A:
    def __repr__(self):
        x.clear()
        return 'A'
x = []
x.extend([A(), 1, 2, 3])
def f():
    return x

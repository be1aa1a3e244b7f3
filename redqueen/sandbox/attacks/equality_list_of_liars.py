# attempt: hides the liar in a list
# expect: ok
# call: f()
# equals: 42
# comparable: not_equal

class A:
    def __eq__(self, other):
        return True
def f():
    return [A()]

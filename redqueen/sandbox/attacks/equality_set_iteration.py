# attempt: inherits a set and iterates over other elements
# expect: ok
# call: f()
# equals: {1, 2, 3}
# comparable: not_equal

class S(set):
    def __iter__(self):
        return iter([1, 2, 3])
def f():
    return S([9])

# attempt: names its own class Fraction and lies in its repr
# expect: ok
# call: f()
# equals: 42
# comparable: not_equal

class Fraction:
    def __repr__(self):
        return '42'
def f():
    return Fraction()

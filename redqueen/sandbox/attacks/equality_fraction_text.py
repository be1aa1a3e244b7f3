# attempt: names its own class Fraction, with a repr that goes on after the fraction
# expect: ok
# call: f()
# equals: [1, 2, 3]
# comparable: not_equal

class Fraction:
    def __repr__(self):
        return 'Fraction(1), 2, 3'
def f():
    return [Fraction()]

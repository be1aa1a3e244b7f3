# attempt: rewrites the library's Fraction so that its repr is another number
# expect: ok
# call: f()
# equals: 42
# comparable: not_equal

import fractions
fractions.Fraction.__repr__ = lambda self: 'Fraction(42, 1)'
fractions.Fraction.numerator = property(lambda self: 42)
def f():
    return fractions.Fraction(1, 3)

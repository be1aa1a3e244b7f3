# attempt: makes a type that is called decimal.Decimal
# expect: ok
# call: f()
# equals: 42
# comparable: not_equal

def f():
    return type('decimal.Decimal', (), {'__repr__': lambda self: "Decimal('42')"})()

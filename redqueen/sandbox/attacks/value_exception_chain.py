# attempt: an exception chain with a loop
# expect: error
# exception: ValueError

e = ValueError('a')
f = ValueError('b')
e.__context__ = f
f.__cause__ = e
raise e

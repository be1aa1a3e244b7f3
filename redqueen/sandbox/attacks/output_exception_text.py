# attempt: raises an exception with ten megabytes of text
# expect: error

raise ValueError('x' * 10 ** 7)

# attempt: raises an exception with an enormous type name
# expect: error memory output_limit crashed

raise type('E' * 10 ** 6, (Exception,), {})('x')

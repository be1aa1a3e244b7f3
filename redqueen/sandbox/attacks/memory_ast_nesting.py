# attempt: source with a hundred thousand unary operators
# expect: error memory crashed timeout
# limits: wall=3

eval('-' * 100000 + '1')

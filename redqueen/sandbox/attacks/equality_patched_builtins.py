# attempt: replaces repr, len, isinstance and type
# expect: ok
# call: f()
# equals: 42
# comparable: not_equal
# value: 7

import builtins
builtins.repr = lambda x: '42'
builtins.str = builtins.repr
builtins.isinstance = lambda *a: True
builtins.type = lambda *a: int
builtins.len = lambda x: 42
def f():
    return 7

# attempt: deletes every builtin
# expect: ok error
# call: f()

import builtins
builtins.__dict__.clear()
def f():
    return 42

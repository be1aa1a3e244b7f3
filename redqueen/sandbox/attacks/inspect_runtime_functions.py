# attempt: finds the functions of the runtime and breaks them
# expect: ok
# call: f()
# value: 42

import gc
for o in gc.get_objects():
    if type(o).__name__ == 'dict' and '_guarded_import' in o:
        o.clear()
def f():
    return 42

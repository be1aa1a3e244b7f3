# attempt: replaces the json module
# expect: ok
# call: f()
# equals: 42
# comparable: not_equal
# value: 7

import json, sys
json.dumps = lambda *a, **k: '42'
sys.modules['json'] = None
def f():
    return 7

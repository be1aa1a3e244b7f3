# attempt: replaces sys.stdout with an object that raises
# expect: ok
# call: f()
# value: 42

import sys
class W:
    def write(self, *a):
        raise SystemExit
    flush = write
sys.stdout = W()
def f():
    return 42

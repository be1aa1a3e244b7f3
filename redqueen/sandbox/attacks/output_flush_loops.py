# attempt: a flush method that never returns
# expect: ok
# call: f()
# value: 42

import sys
class W:
    def write(self, *a):
        return 0
    def flush(self):
        while True:
            pass
sys.stdout = sys.__stdout__ = W()
def f():
    return 42

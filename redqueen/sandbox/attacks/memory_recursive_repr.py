# attempt: a repr that recurses through C with the limit raised
# expect: crashed memory
# call: f()
# limits: memory=256

import sys
sys.setrecursionlimit(10 ** 9)
class A:
    def __repr__(self):
        return repr([A()])
def f():
    return A()

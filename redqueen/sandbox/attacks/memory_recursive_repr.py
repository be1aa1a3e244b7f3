# attempt: a repr that recurses through C with the limit raised (C has a limit of its own from Python 3.12 on)
# expect: crashed memory error
# call: f()
# limits: memory=256

import sys
sys.setrecursionlimit(10 ** 9)
class A:
    def __repr__(self):
        return repr([A()])
def f():
    return A()

# attempt: recurses through C code with the limit raised (C has a limit of its own from Python 3.12 on)
# expect: crashed memory error
# limits: memory=256

import sys
sys.setrecursionlimit(10 ** 9)
class A:
    def __getattr__(self, name):
        return getattr(self, name + 'x'[:0])
A().x

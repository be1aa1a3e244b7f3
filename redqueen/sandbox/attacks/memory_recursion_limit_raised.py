# attempt: raises the recursion limit, then recurses
# expect: memory crashed error
# limits: memory=128

import sys
sys.setrecursionlimit(10 ** 9)
def f(n):
    return f(n + 1)
f(0)

# attempt: overflows the C stack with nested calls
# expect: crashed memory error
# limits: memory=256

import sys
sys.setrecursionlimit(10 ** 9)
class A:
    def __lt__(self, other):
        return sorted([A(), A()])
sorted([A(), A()])

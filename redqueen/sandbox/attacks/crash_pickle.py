# attempt: unpickles a call of os.system
# expect: ok
# out: contained

import pickle
class A:
    def __reduce__(self):
        import os
        return os.system, ('id',)
r = pickle.loads(pickle.dumps(A()))
print('ESCAPED' if r == 0 else 'contained')

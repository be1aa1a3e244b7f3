# attempt: a dictionary of keys that all collide
# expect: timeout
# limits: wall=0.3

class K:
    def __hash__(self):
        return 1
d = {}
while True:
    d[K()] = 1

# attempt: sorts with a key that never returns
# expect: timeout
# limits: wall=0.3

def key(x):
    while True:
        pass
sorted([2, 1], key=key)

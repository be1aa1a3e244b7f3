# attempt: returns a structure with exponentially many paths
# expect: output_limit timeout
# call: f()
# limits: wall=3

def f():
    x = []
    for _ in range(60):
        x = [x, x]
    return x

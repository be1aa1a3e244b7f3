# attempt: loops for ever inside the called function
# expect: timeout
# call: f()
# limits: wall=0.3

def f():
    while True:
        pass

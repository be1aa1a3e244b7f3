# attempt: refuses to stop in a finally clause
# expect: timeout
# call: f()
# limits: wall=0.3

def f():
    try:
        return 1
    finally:
        while True:
            pass

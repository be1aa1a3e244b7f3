# attempt: loops for ever and swallows every exception
# expect: timeout
# limits: wall=0.3

while True:
    try:
        while True:
            pass
    except BaseException:
        pass

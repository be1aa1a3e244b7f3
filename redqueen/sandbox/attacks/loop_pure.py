# attempt: loops for ever in Python
# expect: timeout
# limits: wall=0.3

while True:
    pass

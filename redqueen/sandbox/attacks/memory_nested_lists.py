# attempt: a list within a list within a list, for ever
# expect: memory
# limits: memory=64 wall=60

x = []
while True:
    x = [x, [0] * 50]

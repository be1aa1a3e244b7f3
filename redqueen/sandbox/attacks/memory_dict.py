# attempt: a dictionary that grows for ever
# expect: memory
# limits: memory=64 wall=60

d = {}
i = 0
while True:
    d[i] = i
    i += 1

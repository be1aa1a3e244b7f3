# attempt: a set that grows for ever
# expect: memory
# limits: memory=64 wall=60

s = set()
i = 0
while True:
    s.add(i)
    i += 1

# attempt: millions of small objects
# expect: memory
# limits: memory=64 wall=60

x = []
while True:
    x.append(object())

# attempt: doubles a string for ever
# expect: memory
# limits: memory=64

s = 'ab'
while True:
    s += s

# attempt: a chain of millions of iterators
# expect: memory
# limits: memory=64 wall=60

x = iter([])
while True:
    x = map(abs, x)

# attempt: a chain of millions of iterators
# expect: memory
# limits: memory=64 wall=10

x = iter([])
while True:
    x = map(abs, x)

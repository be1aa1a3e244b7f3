# attempt: destroys a very deep structure
# expect: ok
# out: contained

x = None
for _ in range(1000000):
    x = [x]
del x
print('contained')

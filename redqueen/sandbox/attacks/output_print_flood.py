# attempt: prints for ever
# expect: output_limit

while True:
    print('x' * 1000)

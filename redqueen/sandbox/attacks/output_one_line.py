# attempt: prints one gigantic line
# expect: output_limit memory

print('x' * 10 ** 8)

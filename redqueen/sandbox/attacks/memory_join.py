# attempt: joins a huge list into one text
# expect: memory
# limits: memory=64

''.join(['x' * 1000] * 10 ** 6)

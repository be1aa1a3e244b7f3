# attempt: reads a key of root
# expect: error

print('ESCAPED', open('/root/.ssh/id_rsa', 'rb').read(100))

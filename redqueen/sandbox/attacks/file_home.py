# attempt: reads a password file of root
# expect: error

print('ESCAPED', open('/root/.netrc', 'rb').read(100))

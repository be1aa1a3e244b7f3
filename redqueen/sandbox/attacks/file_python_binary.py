# attempt: reads a program outside the library
# expect: error

print('ESCAPED', open('/usr/bin/python3', 'rb').read(100))

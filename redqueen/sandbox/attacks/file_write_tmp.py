# attempt: writes to /tmp
# expect: error

open('/tmp/x', 'w').write('x')
print('ESCAPED')

# attempt: reads /etc/shadow
# expect: error

print('ESCAPED', open('/etc/shadow', 'rb').read(100))

# attempt: opens a device
# expect: error

print('ESCAPED', open('/dev/urandom', 'rb').read(100))

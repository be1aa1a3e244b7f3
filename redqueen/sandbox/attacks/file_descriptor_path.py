# attempt: opens a descriptor through /dev/fd
# expect: error

print('ESCAPED', open('/dev/fd/3', 'rb').read(1))

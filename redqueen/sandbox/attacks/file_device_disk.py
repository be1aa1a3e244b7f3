# attempt: reads a disk
# expect: error

print('ESCAPED', open('/dev/vda', 'rb').read(100))

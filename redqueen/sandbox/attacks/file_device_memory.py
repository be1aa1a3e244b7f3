# attempt: reads physical memory
# expect: error

print('ESCAPED', open('/dev/mem', 'rb').read(100))

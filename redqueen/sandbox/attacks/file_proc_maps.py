# attempt: reads its memory map
# expect: error

print('ESCAPED', open('/proc/self/maps', 'rb').read(100))

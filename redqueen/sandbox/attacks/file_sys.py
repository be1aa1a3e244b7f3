# attempt: reads the device tree
# expect: error

print('ESCAPED', open('/sys/kernel/notes', 'rb').read(100))

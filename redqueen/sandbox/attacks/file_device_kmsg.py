# attempt: reads the log of the kernel
# expect: error

print('ESCAPED', open('/dev/kmsg', 'rb').read(100))

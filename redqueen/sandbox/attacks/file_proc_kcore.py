# attempt: reads the memory of the kernel
# expect: error

print('ESCAPED', open('/proc/kcore', 'rb').read(100))

# attempt: reads the environment of process 1
# expect: error

print('ESCAPED', open('/proc/1/environ', 'rb').read(100))

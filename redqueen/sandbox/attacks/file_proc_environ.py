# attempt: reads its environment from /proc
# expect: error

print('ESCAPED', open('/proc/self/environ', 'rb').read(100))

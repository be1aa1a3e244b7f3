# attempt: reads its memory through /proc
# expect: error

print('ESCAPED', open('/proc/self/mem', 'rb').read(100))

# attempt: reads the command line of the machine
# expect: error

print('ESCAPED', open('/proc/cmdline', 'rb').read(100))

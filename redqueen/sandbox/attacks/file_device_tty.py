# attempt: opens the terminal
# expect: error

print('ESCAPED', open('/dev/tty', 'rb').read(100))

# attempt: reads a file of root's home, which is there
# expect: error

print('ESCAPED', open('/root/.bashrc', 'rb').read(100))

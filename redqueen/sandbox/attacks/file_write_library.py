# attempt: writes into the Python library
# expect: error

open('/usr/lib/python3.11/redqueen_was_here.py', 'w').write('x')
print('ESCAPED')

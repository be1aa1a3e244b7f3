# attempt: appends to a module
# expect: error

open('/usr/lib/python3.11/os.py', 'a').write('x')
print('ESCAPED')

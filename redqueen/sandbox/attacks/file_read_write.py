# attempt: opens a module for reading and writing
# expect: error

open('/usr/lib/python3.11/os.py', 'r+')
print('ESCAPED')

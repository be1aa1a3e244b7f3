# attempt: makes a database
# expect: error

import sqlite3
sqlite3.connect('/tmp/x.db').execute('create table t (x)')
print('ESCAPED')

# attempt: makes a temporary file
# expect: error

import tempfile
tempfile.TemporaryFile()
print('ESCAPED')

# attempt: fetches a page
# expect: error

import urllib.request
print('ESCAPED', urllib.request.urlopen('http://127.0.0.1/').read())

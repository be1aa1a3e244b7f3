# attempt: reaches a banned attribute through an alias
# expect: refused
# profile: code

import os as o
print(o.environ)

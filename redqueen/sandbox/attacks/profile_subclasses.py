# attempt: reaches for a loader through the subclasses of object
# expect: error ok
# profile: pure

for c in object.__subclasses__():
    if c.__name__ == '_wrap_close':
        c.__init__.__globals__['system']('id')
import math
open('/etc/hostname').read()
print('ESCAPED')

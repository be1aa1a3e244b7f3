# attempt: loads a broken code object
# expect: crashed error

import marshal
exec(marshal.loads(b'\xe3' + b'\x01' * 200))

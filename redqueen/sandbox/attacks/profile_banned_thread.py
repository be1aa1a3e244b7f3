# attempt: imports a module that Absolute Zero bans
# expect: refused
# profile: code

import threading

# attempt: a star import of everything
# expect: refused
# profile: pure

from os import *

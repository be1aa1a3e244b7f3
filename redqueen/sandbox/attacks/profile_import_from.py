# attempt: imports from a module outside the profile
# expect: refused
# profile: pure

from subprocess import run

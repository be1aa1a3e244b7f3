# attempt: imports a banned attribute
# expect: refused
# profile: code

from os import environ

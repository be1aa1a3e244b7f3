# attempt: imports through __import__
# expect: refused
# profile: pure

__import__('os')

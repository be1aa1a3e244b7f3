# attempt: raises an exception that is named as our own
# expect: error
# exception: Refused

class Refused(ImportError):
    pass
raise Refused('x')

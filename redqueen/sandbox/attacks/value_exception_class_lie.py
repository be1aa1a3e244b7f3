# attempt: raises an exception with a lying __class__
# expect: error
# exception: E

class E(Exception):
    @property
    def __class__(self):
        raise RuntimeError
raise E('x')

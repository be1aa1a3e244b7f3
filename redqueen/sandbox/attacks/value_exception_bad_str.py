# attempt: raises an exception whose text raises
# expect: error
# exception: E

class E(Exception):
    def __str__(self):
        raise ValueError
raise E()

# attempt: raises an exception whose text never ends
# expect: timeout
# limits: wall=0.3

class E(Exception):
    def __str__(self):
        while True:
            pass
raise E()

# attempt: a class whose creation never ends
# expect: timeout
# limits: wall=0.3

class M(type):
    def __new__(m, *a):
        while True:
            pass
class A(metaclass=M):
    pass

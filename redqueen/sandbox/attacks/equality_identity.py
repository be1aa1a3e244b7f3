# attempt: returns the address of an object (differs between interpreters)
# expect: ok
# call: f()
# differs: yes

def f():
    return id(object())

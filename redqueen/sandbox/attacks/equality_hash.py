# attempt: returns the hash of a text (differs between hash seeds)
# expect: ok
# call: f()
# differs: yes

def f():
    return hash('text')

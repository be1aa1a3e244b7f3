# attempt: returns the order of a set of texts (differs between hash seeds)
# expect: ok
# call: f()
# differs: yes

def f():
    return list({'a', 'b', 'c', 'd', 'e', 'f', 'g', 'h', 'i', 'j'})

# attempt: hides the import in a function
# expect: refused
# call: f()
# profile: pure

def f():
    import socket
    return 1

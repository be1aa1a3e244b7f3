# attempt: uses /dev/null, which is there
# expect: ok
# out: b''

print(repr(open('/dev/null', 'rb').read()))

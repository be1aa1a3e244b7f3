# attempt: climbs out of the root
# expect: error

print('ESCAPED', open('/usr/lib/python3.11/../../../../../../etc/passwd', 'rb').read(100))

# attempt: reads /etc/passwd
# expect: error

print('ESCAPED', open('/etc/passwd', 'rb').read(100))

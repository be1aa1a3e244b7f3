# attempt: opens a file, which no profile forbids and the kernel does
# expect: error
# profile: pure

open('/etc/passwd').read()
print('ESCAPED')

# attempt: prints terminal escape sequences and NUL
# expect: ok

print('\x1b]0;owned\x07\x1b[2J\x00')

# attempt: an exception with escape codes, quotes and NUL in its text
# expect: error
# exception: ValueError

raise ValueError('\x1b[31m"\'\x00</script>\ud800')

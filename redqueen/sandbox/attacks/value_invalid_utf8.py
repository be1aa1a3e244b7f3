# attempt: source that is not UTF-8
# expect: error

x = 'ÿþ'
print('ESCAPED')

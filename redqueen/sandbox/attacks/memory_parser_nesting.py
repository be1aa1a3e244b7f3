# attempt: source nested far too deeply
# expect: error memory crashed

eval('(' * 100000 + ')' * 100000)

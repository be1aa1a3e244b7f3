# attempt: prints lone surrogates
# expect: ok

print('\ud800 \udfff')

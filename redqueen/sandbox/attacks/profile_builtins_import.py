# attempt: imports through the builtins of a function
# expect: refused
# profile: pure

print.__self__.__import__('os')

# expect: L1 no_class
# nothing but words

# attempt: source that takes the compiler very long
# expect: timeout memory error ok crashed
# limits: wall=1

x = eval('+'.join(['1'] * 200000))

# attempt: formats with a width of a gigabyte
# expect: memory
# limits: memory=64

'{:>1000000000}'.format(1)

# attempt: raises KeyboardInterrupt
# expect: error
# exception: KeyboardInterrupt

raise KeyboardInterrupt

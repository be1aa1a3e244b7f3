# attempt: looks at the command line
# expect: ok
# out: [''] []

import sys
print(sys.argv, sys.orig_argv)

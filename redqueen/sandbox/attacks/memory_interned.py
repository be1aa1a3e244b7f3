# attempt: interns strings for ever
# expect: memory
# limits: memory=64 wall=60

import sys
i = 0
x = []
while True:
    x.append(sys.intern('k%d' % i))
    i += 1

# attempt: nested quantifiers over alternatives
# expect: timeout
# limits: wall=0.3

import re
re.search(r'^(([a-z])+.)+[A-Z]([a-z])+$', 'a' * 60)

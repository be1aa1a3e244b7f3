# attempt: reads from the channel to catch what the worker sends
# expect: timeout
# limits: wall=0.5

import os
print(len(os.read(3, 100)))

# attempt: writes what looks like an answer of its own into the channel
# expect: crashed ok error output_limit
# call: f()
# not_value: 43

import os
os.write(3, b'\xff' * 4096)
def f():
    return 42

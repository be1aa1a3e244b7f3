# attempt: installs an audit hook that raises
# expect: error ok crashed
# call: f()

import sys
def hook(event, args):
    raise RuntimeError('no')
sys.addaudithook(hook)
def f():
    return 42

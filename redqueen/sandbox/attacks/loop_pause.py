# attempt: waits for a signal that never comes
# expect: timeout
# limits: wall=0.3

import signal
signal.pause()

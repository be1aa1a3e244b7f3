# attempt: ignores the signal of the output limit
# expect: error output_limit timeout
# limits: wall=1

import signal, os
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
while True:
    os.write(1, b'x' * 65536)

# attempt: announces a frame of four gigabytes
# expect: output_limit
# limits: wall=60

import os
os.write(3, b'\xff\xff\xff\xff\x07')
import time
time.sleep(100)

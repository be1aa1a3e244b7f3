# attempt: begins an answer and never ends it
# expect: timeout
# limits: wall=0.5

import os, time
os.write(3, b'\x00\x01\x00\x00\x07abc')
time.sleep(100)

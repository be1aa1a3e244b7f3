# attempt: walks the whole tree for anything but Python
# expect: ok
# needs: landlock
# out: contained []

import os
found = [d for d, _, files in os.walk('/') if files and not d.startswith('/usr/lib/')]
print('ESCAPED' if found else 'contained', found)

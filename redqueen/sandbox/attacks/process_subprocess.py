# attempt: runs a shell command
# expect: error
# exception: PermissionError

import subprocess
print('ESCAPED', subprocess.run(['/bin/sh', '-c', 'id'], capture_output=True))

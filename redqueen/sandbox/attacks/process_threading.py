# attempt: starts one thread
# expect: error
# exception: RuntimeError

import threading
threading.Thread(target=print, args=('ESCAPED',)).start()

# attempt: crashes through faulthandler
# expect: crashed ok

import faulthandler
faulthandler._sigsegv()

# attempt: asks for a core dump and crashes
# expect: error

import resource
resource.setrlimit(resource.RLIMIT_CORE, (-1, -1))

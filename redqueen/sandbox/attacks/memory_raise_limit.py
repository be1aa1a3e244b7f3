# attempt: raises its own memory limit
# expect: error

import resource
resource.setrlimit(resource.RLIMIT_AS, (-1, -1))

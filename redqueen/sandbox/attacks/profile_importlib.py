# attempt: imports a banned module through importlib
# expect: refused
# profile: code

import importlib
importlib.import_module('ran' + 'dom')

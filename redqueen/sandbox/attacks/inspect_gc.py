# attempt: searches all objects for anything of the host
# expect: ok
# out: contained

import gc
words = ('redqueen-host-secret', 'sandbox.cgroup', 'REDQUEEN_')
found = [o for o in gc.get_objects() if isinstance(o, dict) and any(isinstance(v, str) and any(w in v for w in words[1:]) for v in list(o.values()) if v is not words)]
print('ESCAPED' if found else 'contained')

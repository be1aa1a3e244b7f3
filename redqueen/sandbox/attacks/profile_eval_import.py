# attempt: hides the import in eval
# expect: refused
# profile: pure

eval('__im' + 'port__("os")')

# attempt: hides the import in exec
# expect: refused
# profile: pure

exec('im' + 'port os')

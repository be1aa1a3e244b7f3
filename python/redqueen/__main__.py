"""python -m redqueen: the command `redqueen`."""
from ._command import main

main()

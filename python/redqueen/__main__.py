"""python -m redqueen: the command `redqueen`."""
from ._command import main

if __name__ == "__main__":
    main()

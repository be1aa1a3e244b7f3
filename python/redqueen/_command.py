"""Becomes the command `redqueen`: the engine's own program, which lies in the package's folder.

`python -m redqueen` and the script `redqueen` of the wheel run it. It imports nothing of the package, for that takes longer
than most commands do.
"""
import os
import signal
import sys


def program() -> str:
    """The path of the program that this package brings."""
    return os.path.join(os.path.dirname(os.path.abspath(__file__)), "redqueen-torch-free")


def main() -> None:
    path = program()
    if not os.access(path, os.X_OK):
        sys.exit(f"redqueen: {path}: there is no such program; a build with libtorch makes it (ninja -C build redqueen-torch-free), "
                 "and the wheel brings it")
    signal.signal(signal.SIGPIPE, signal.SIG_DFL)  # which Python ignores, and the program would go on doing so
    os.execv(path, ["redqueen", *sys.argv[1:]])


if __name__ == "__main__":
    main()

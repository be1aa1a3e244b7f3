"""Writes the sources of a batch (redqueen_batches of cmake/Folder.cmake) into one file, each in a namespace of its own.

usage: make_batch.py OUTPUT ROOT SOURCE…   (sources relative to ROOT)

A source of a batch has everything in one anonymous namespace within one named one. Around the anonymous namespace comes
another that is called like the file, so that what one file has for itself no other one sees, as if they were compiled one
by one. #line keeps messages and debuggers with the source."""
import pathlib
import re
import sys

SHAPE = re.compile(r"(?P<head>.*?^namespace [\w:]+ \{)\n(?P<body>namespace \{\n.*^\}  // namespace\n)(?P<tail>\}  // namespace [\w:]+\n)\Z",
                   re.M | re.S)


def isolated(path, text):
    parts = SHAPE.match(text)
    if not parts or re.search(r"^(namespace [\w:]+ \{|#define\b.*)$", parts["body"], re.M):
        sys.exit(f"{path}: it no longer fits into a batch, for not everything stands in one anonymous namespace; "
                 "configure again (cmake --preset …)")
    name = "file_" + re.sub(r"\W", "_", path.removesuffix(".cc"))
    # On the line of the outer namespace, so that the numbers of lines stay.
    return f'#line 1 "{path}"\n{parts["head"]} namespace {name} {{\n{parts["body"]}}} {parts["tail"]}'


def main():
    output, root, *sources = sys.argv[1:]
    text = "".join(isolated(path, pathlib.Path(root, path).read_text(encoding="utf-8")) for path in sources)
    output = pathlib.Path(output)
    if not output.exists() or output.read_text(encoding="utf-8") != text:
        output.write_text(text, encoding="utf-8")


main()

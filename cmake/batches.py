"""Puts sources into batches (redqueen_batches of cmake/Folder.cmake): files that the compiler reads as one.

usage: batches.py choose COUNT ROOT SOURCE…   prints each source and its batch, 0 … COUNT - 1, or "alone"
       batches.py write OUTPUT ROOT SOURCE…   writes the file of one batch      (sources relative to ROOT)

What a file has in an anonymous namespace stays its own, whoever shares its batch:

- Tests and environments have everything in one anonymous namespace within a named one. Between the two comes a namespace that
  is called like the file. #line keeps messages and debuggers with the source.
- Other sources are included as they are, so that their anonymous namespaces become one. Two of them share a batch only if neither
  uses a name that the other one declares for itself, and none that it declares for itself is also one of a header that only the
  other one includes. What does not fit into its batch is compiled alone. A batch is checked again whenever
  one of its sources or of their headers changes."""
import functools
import hashlib
import pathlib
import re
import sys

SHAPE = re.compile(r"(?P<head>.*?^namespace [\w:]+ \{)\n(?P<body>namespace \{\n.*^\}  // namespace\n)(?P<tail>\}  // namespace [\w:]+\n)\Z",
                   re.M | re.S)
NOT_WHOLE = re.compile(r"^(namespace [\w:]+ \{|#define\b.*)$", re.M)
BLANK = re.compile(r'R"(\w*)\(.*?\)\1"|"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])+\'|//[^\n]*|/\*.*?\*/|^[ \t]*#(?:\\\n|[^\n])*', re.S | re.M)
TOKEN = re.compile(r"[A-Za-z_]\w*|\d[\w'.]*|::|->|\S")
INCLUDE = re.compile(r'^#include "(redqueen/[^"]+)"', re.M)
KEYWORDS = set("const constexpr noexcept override final auto decltype alignas static_assert sizeof requires typename template "
               "using typedef inline static extern friend explicit if for while switch return else do try catch".split())


def own_names(tokens, everything):
    """Names that are declared at namespace scope: in anonymous namespaces or static, or all of them."""
    names, scopes = set(), []
    i = 0
    while i < len(tokens):
        if tokens[i] == "namespace" and "{" in tokens[i : i + 16] and "=" not in tokens[i : tokens.index("{", i)]:
            begin = tokens.index("{", i)
            scopes.append(begin > i + 1)
            i = begin + 1
        elif tokens[i] == "}":
            if scopes:
                scopes.pop()
            i += 1
        else:
            name, is_static, i = declaration(tokens, i)
            if name and (everything or is_static or False in scopes):
                names.add(name)
    return names


def declaration(tokens, i):
    """What the declaration at i declares, whether it is static, and where the next one begins."""
    name, is_static, depth, body = None, tokens[i] == "static", 0, False
    while i < len(tokens):
        token, following = tokens[i], tokens[i + 1] if i + 1 < len(tokens) else ""
        if token == "template" and following == "<" and depth == 0:
            i = after_angles(tokens, i + 1)
            continue
        if token in "([{":
            depth += 1
            body = body or (token == "{" and depth == 1)
        elif token in ")]}":
            if depth == 0:
                return name, is_static, i  # the end of the namespace
            depth -= 1
            if token == "}" and depth == 0 and following not in {";", ",", "(", ")", "."}:
                return name, is_static, i + 1
        elif token == ";" and depth == 0:
            return name, is_static, i + 1
        elif depth == 0 and name is None and not body:
            if token in {"class", "struct", "union", "enum"}:
                while following in {"class", "struct", "["}:
                    i = i + 1 if following != "[" else tokens.index("]", tokens.index("]", i) + 1)
                    following = tokens[i + 1]
                name = following
            elif token == "operator" or (token == "namespace" and tokens[i + 2] == "="):
                name = ""
            elif (re.match(r"[A-Za-z]", token) and following and following in "(={;[" and token not in KEYWORDS and not token.isupper()
                  and tokens[i - 1] != "::"):
                name = token
        i += 1
    return name, is_static, i


def after_angles(tokens, i):
    depth = 0
    while True:
        depth += {"<": 1, ">": -1}.get(tokens[i], 0)
        i += 1
        if depth == 0:
            return i


class Source:
    def __init__(self, root, path, is_header=False):
        self.path = path
        self.text = (root / path).read_text(encoding="utf-8")
        parts = None if is_header else SHAPE.match(self.text)
        self.parts = parts if parts and not NOT_WHOLE.search(parts["body"]) and "\n#define " not in parts["head"] else None
        self.included = INCLUDE.findall(self.text)
        self.is_header = is_header

    @functools.cached_property
    def tokens(self):
        return TOKEN.findall(BLANK.sub(" ", self.text))

    @functools.cached_property
    def declared(self):
        return own_names(self.tokens, self.is_header)

    @functools.cached_property
    def used(self):
        return {token for before, token in zip(["", *self.tokens], self.tokens) if before not in {".", "->"}}

    def batch_text(self):
        if not self.parts:
            return f'#include "{self.path}"\n'
        name = "file_" + re.sub(r"\W", "_", self.path.removesuffix(".cc"))
        # On the line of the outer namespace, so that the numbers of lines stay.
        head, body, tail = self.parts["head"], self.parts["body"], self.parts["tail"]
        return f'#line 1 "{self.path}"\n{head} namespace {name} {{\n{body}}} {tail}'


class Sources:
    def __init__(self, root):
        self.root = pathlib.Path(root)

    @functools.lru_cache(None)
    def source(self, path):
        return Source(self.root, path)

    @functools.lru_cache(None)
    def header(self, path):
        return Source(self.root, path, is_header=True) if (self.root / path).is_file() else None

    @functools.lru_cache(None)
    def headers_of(self, path):
        found, waiting = set(), list(self.source(path).included)
        while waiting:
            path = waiting.pop()
            if path not in found and self.header(path):
                found.add(path)
                waiting += self.header(path).included
        return frozenset(found)

    def clash(self, one, other):
        """A name that would mean something else if the two shared a batch."""
        for a, b in ((one, other), (other, one)):
            if self.source(a).parts:
                continue  # nobody sees what it declares
            own = self.source(a).declared
            if used := own & self.source(b).used:
                return min(used)
            for header in self.headers_of(b) - self.headers_of(a):
                if shared := own & self.header(header).declared:
                    return min(shared)
        return None


def choose(count, root, paths):
    sources = Sources(root)
    batches = [[] for _ in range(count)]
    for path in paths:
        # By its name, so that a new file changes one batch; the next one that it fits into.
        first = int(hashlib.md5(pathlib.Path(path).stem.encode()).hexdigest()[:6], 16)
        numbers = [] if "\n#define " in sources.source(path).text else [(first + i) % count for i in range(count)]
        fitting = (number for number in numbers if not any(sources.clash(path, other) for other in batches[number]))
        number = next(fitting, None)
        if number is not None:
            batches[number].append(path)
        print(path, "alone" if number is None else number)


def write(output, root, paths):
    sources = Sources(root)
    for i, path in enumerate(paths):
        for other in paths[:i]:
            if name := sources.clash(path, other):
                sys.exit(f"{path} and {other} no longer fit into one batch ({name}); configure again (cmake --preset …)")
    text = "".join(sources.source(path).batch_text() for path in paths)
    output = pathlib.Path(output)
    if not output.exists() or output.read_text(encoding="utf-8") != text:
        output.write_text(text, encoding="utf-8")
    headers = sorted(set().union(*(sources.headers_of(path) for path in paths)))
    output.with_suffix(".d").write_text(f"{output}: " + " ".join(str(sources.root / header) for header in headers) + "\n", encoding="utf-8")


if sys.argv[1] == "choose":
    choose(int(sys.argv[2]), sys.argv[3], sys.argv[4:])
else:
    write(sys.argv[2], sys.argv[3], sys.argv[4:])

"""What Python itself says of its sources, for novelty_text_test.cc.

  python_source_oracle.py bodies OUT     for functions of the standard library: source, name, tokens of the body
  python_source_oracle.py strings OUT    for string literals: the literal and its value

Only functions whose name occurs once in their file are listed. Tokens are those of `tokenize`, without comments,
statements that are nothing but strings, line ends, semicolons and indentation.
"""

import ast
import glob
import io
import json
import os
import random
import sys
import tokenize

SKIPPED = {tokenize.COMMENT, tokenize.NL, tokenize.NEWLINE, tokenize.INDENT, tokenize.DEDENT, tokenize.ENDMARKER}


def string_statements(function):
    for node in ast.walk(function):
        if isinstance(node, ast.Expr) and isinstance(node.value, (ast.Constant, ast.JoinedStr)):
            if isinstance(node.value, ast.JoinedStr) or isinstance(node.value.value, (str, bytes)):
                yield (node.lineno, node.end_lineno)


def body_tokens(tokens, function):
    # ast counts columns in bytes, tokenize in characters: lines are enough, since sources with several statements on
    # the line of a string statement are not listed.
    strings = list(string_statements(function))
    first, last = function.body[0].lineno, function.end_lineno
    result = []
    for token in tokens:
        line = token.start[0]
        if token.type in SKIPPED or not first <= line <= last:
            continue
        if token.type == tokenize.STRING and any(a <= line <= b for a, b in strings):
            continue
        if token.string != ";":
            result.append(token.string)
    return result


def bodies():
    for path in sorted(glob.glob(os.path.join(os.path.dirname(os.__file__), "*.py")))[:40]:
        with open(path, encoding="utf-8") as file:
            source = file.read()
        tree = ast.parse(source)
        tokens = list(tokenize.generate_tokens(io.StringIO(source).readline))
        functions = [node for node in ast.walk(tree) if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef))]
        names = [function.name for function in functions]
        wanted = []
        for function in functions:
            on_own_line = function.body[0].lineno > function.lineno
            if names.count(function.name) == 1 and on_own_line:
                wanted.append([function.name, body_tokens(tokens, function)])
        yield [source, wanted]


def strings():
    rng = random.Random(5)
    pieces = ["a", "é", " ", "\\n", "\\t", "\\\\", "\\'", '\\"', "\\x41", "\\u00e9", "\\U0001f642", "\\101", "\\0", "\\q",
              "\\\n", "{x}", "#", "'", '"', "\\7", "\\{"]
    while True:
        quote = rng.choice(["'", '"', "'''", '"""'])
        literal = rng.choice(["", "r", "R", "u", "U"]) + quote + "".join(rng.choices(pieces, k=rng.randint(0, 8))) + quote
        try:
            value = ast.literal_eval(literal)
            first = next(tokenize.generate_tokens(io.StringIO(literal).readline)).string
        except (SyntaxError, ValueError, tokenize.TokenError):
            continue
        if isinstance(value, str) and first == literal:
            yield [literal, value]


def main():
    mode, out = sys.argv[1:]
    if mode == "bodies":
        result = list(bodies())
    else:
        stream = strings()
        result = [next(stream) for _ in range(2000)]
    with open(out, "w", encoding="utf-8") as file:
        json.dump(result, file)


main()

"""Reads a list of programs, each a dictionary of files, as JSON; writes what their syntax trees say of each. Nothing of them is run.

A program is policy.py and the modules beside it that its imports reach. Its topology is the digest of their syntax trees without
numbers and docstrings: two programs with one topology differ in constants, comments and layout only."""
import ast
import hashlib
import json
import sys

BRANCHES = (ast.If, ast.IfExp, ast.Match, ast.Try)
LOOPS = (ast.For, ast.AsyncFor, ast.While, ast.comprehension)
FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)


class Bare(ast.NodeTransformer):
    """Leaves names, texts and structure. A sign in front of a number belongs to the number."""

    def visit_Constant(self, node):
        number = isinstance(node.value, (int, float, complex)) and not isinstance(node.value, bool)
        return ast.Constant(value=0) if number else node

    def visit_UnaryOp(self, node):
        node = self.generic_visit(node)
        signed = isinstance(node.op, (ast.USub, ast.UAdd)) and isinstance(node.operand, ast.Constant)
        return node.operand if signed and node.operand.value == 0 and type(node.operand.value) is int else node

    def bare_body(self, node):
        if node.body and isinstance(node.body[0], ast.Expr) and isinstance(node.body[0].value, ast.Constant):
            if isinstance(node.body[0].value.value, str):
                node.body = node.body[1:] or [ast.Pass()]
        return self.generic_visit(node)

    visit_Module = visit_ClassDef = visit_FunctionDef = visit_AsyncFunctionDef = bare_body


def names_of(tree, path):
    """Modules that a file asks for, as dotted names below the program's folder."""
    package = path.split('/')[:-1]
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            base = package[:len(package) - node.level + 1] if node.level else []
            name = '.'.join(base + ([node.module] if node.module else []))
            yield name
            yield from ('.'.join(filter(None, [name, alias.name])) for alias in node.names)


def files_of(name, files):
    """What an import of this dotted name reads."""
    parts = name.split('.')
    for count in range(1, len(parts) + 1):
        stem = '/'.join(parts[:count])
        for path in (stem + '.py', stem + '/__init__.py'):
            if path in files:
                yield path


def bundle_of(files):
    """The trees of policy.py and of what it reaches."""
    trees, pending = {}, ['policy.py'] if 'policy.py' in files else []
    while pending:
        path = pending.pop()
        if path in trees:
            continue
        trees[path] = ast.parse(files[path])
        for name in names_of(trees[path], path):
            pending.extend(files_of(name, files))
    return trees


def state_of(tree):
    """Names that keep a value from one step to the next: self.x where something is assigned to it, and globals."""
    found = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Store):
            if isinstance(node.value, ast.Name) and node.value.id == 'self':
                found.add('self.' + node.attr)
        elif isinstance(node, (ast.Global, ast.Nonlocal)):
            found.update(node.names)
    return found


def read(files):
    trees = bundle_of(files)
    nodes = [node for tree in trees.values() for node in ast.walk(tree)]
    features = {'files': len(trees), 'nodes': len(nodes),
                'lines': sum(len(files[path].splitlines()) for path in trees),
                'functions': sum(isinstance(node, FUNCTIONS) for node in nodes),
                'branches': sum(isinstance(node, BRANCHES) for node in nodes),
                'loops': sum(isinstance(node, LOOPS) for node in nodes),
                'state': len(set().union(*(state_of(tree) for tree in trees.values()))) if trees else 0}
    source = hashlib.sha256()
    topology = hashlib.sha256()
    for path in sorted(trees):
        source.update(json.dumps([path, files[path]]).encode())
        topology.update(json.dumps([path, ast.dump(Bare().visit(trees[path]))]).encode())
    return {'sound': bool(trees), 'bundle': sorted(trees), 'source': source.hexdigest(), 'topology': topology.hexdigest(),
            'features': features}


def shape(files):
    try:
        return read(files)
    except (SyntaxError, ValueError, RecursionError, MemoryError):  # no Python, or nested without end
        digest = hashlib.sha256(json.dumps(files, sort_keys=True).encode()).hexdigest()
        return {'sound': False, 'bundle': [], 'source': digest, 'topology': digest}


print(json.dumps([shape(files) for files in json.load(sys.stdin)]))

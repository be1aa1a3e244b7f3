import ast
import io
import math
import random
import re
import tokenize

BROKEN = (SyntaxError, ValueError, RecursionError, MemoryError)
FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)
LOOPS = (ast.For, ast.AsyncFor, ast.While)
COMPREHENSIONS = (ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)


# --- complexity ----------------------------------------------------------------------------------

def cognitive(nodes, depth, function):
    return sum(cognitive_of(node, depth, function) for node in nodes)


def cognitive_if(node, depth, function, elif_branch):
    cost = (1 if elif_branch else 1 + depth) + cognitive_of(node.test, depth, function)
    cost += cognitive(node.body, depth + 1, function)
    if len(node.orelse) == 1 and isinstance(node.orelse[0], ast.If):
        return cost + cognitive_if(node.orelse[0], depth, function, True)
    if node.orelse:
        cost += 1 + cognitive(node.orelse, depth + 1, function)
    return cost


def cognitive_of(node, depth, function):
    if isinstance(node, ast.If):
        return cognitive_if(node, depth, function, False)
    children = list(ast.iter_child_nodes(node))
    if isinstance(node, LOOPS):
        heads = [child for child in children if child not in node.body and child not in node.orelse]
        cost = 1 + depth + cognitive(heads, depth, function) + cognitive(node.body, depth + 1, function)
        return cost + (1 + cognitive(node.orelse, depth + 1, function) if node.orelse else 0)
    if isinstance(node, (ast.ExceptHandler, ast.IfExp, ast.Match)):
        return 1 + depth + cognitive(children, depth + 1, function)
    if isinstance(node, COMPREHENSIONS):
        loops = len(node.generators)
        tests = sum(len(part.ifs) for part in node.generators)
        cost = sum(1 + depth + level for level in range(loops)) + tests * (1 + depth + loops)
        return cost + cognitive(children, depth + loops, function)
    if isinstance(node, FUNCTIONS):
        inner = depth + 1 if function else depth
        return cognitive(children, inner, node.name)
    if isinstance(node, ast.Lambda):
        return cognitive(children, depth + 1, function)
    own = 0
    if isinstance(node, ast.BoolOp):  # Python's tree holds a run of like operators in one node
        own = 1
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == function:
        own = 1
    return own + cognitive(children, depth, function)


def operands_of(node):
    if isinstance(node, ast.BinOp):
        return [type(node.op).__name__], [node.left, node.right]
    if isinstance(node, ast.UnaryOp):
        return [type(node.op).__name__], [node.operand]
    if isinstance(node, ast.BoolOp):
        return [type(node.op).__name__] * (len(node.values) - 1), node.values
    if isinstance(node, ast.Compare):
        return [type(op).__name__ for op in node.ops], [node.left, *node.comparators]
    if isinstance(node, ast.AugAssign):
        return ['=' + type(node.op).__name__], [node.target, node.value]
    return [], []


def halstead_volume(module):
    operators, operands = [], []
    for node in ast.walk(module):
        found, parts = operands_of(node)
        operators += found
        operands += [ast.dump(part) for part in parts] if found else []
    different = len(set(operators)) + len(set(operands))
    return (len(operators) + len(operands)) * math.log2(different) if different else 0.0


# --- trees ---------------------------------------------------------------------------------------

def label(node):
    name = type(node).__name__
    if isinstance(node, ast.Attribute):
        return name + ' ' + node.attr
    if isinstance(node, ast.Constant):
        return name + ' ' + type(node.value).__name__
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
        return name + ' ' + node.func.id
    return name


def postorder(node, labels, leftmost):
    first = len(labels)
    for child in ast.iter_child_nodes(node):
        if not isinstance(child, (ast.expr_context, ast.type_ignore)):
            postorder(child, labels, leftmost)
    labels.append(label(node))
    leftmost.append(first)


# --- programs ------------------------------------------------------------------------------------

def called_names(module):
    return {node.func.id for node in ast.walk(module)
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Name)}


def defined_names(module):
    names = {node.name for node in module.body if isinstance(node, (*FUNCTIONS, ast.ClassDef))}
    for node in ast.walk(module):
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            names.add(node.id)
    return names


def inspect_program(source, components, inputs, most_nodes):
    try:
        module = ast.parse(source)
        compile(source, '<program>', 'exec', dont_inherit=True)
        labels, leftmost = [], []
        postorder(module, labels, leftmost)
        called, defined = called_names(module), defined_names(module)
        if len(labels) > most_nodes:
            labels, leftmost = [], []
        return {
            'entry': any(isinstance(node, ast.FunctionDef) and node.name == 'f' for node in module.body),
            'unused': [name for name in components if name not in called],
            'redefined': [name for name in components if name in defined],
            'no_literals': [text for text in inputs if not check_literal(text, True)],
            'cognitive': cognitive(module.body, 0, ''),
            'halstead': halstead_volume(module),
            'lines': sum(1 for line in source.splitlines() if line.strip()),
            'labels': labels,
            'leftmost': leftmost,
        }
    except BROKEN as error:
        return {'fault': f'{type(error).__name__}: {error}'}


class Renamer(ast.NodeTransformer):
    def __init__(self, entry):
        self.entry = entry

    def visit_Name(self, node):
        if node.id == 'f':
            node.id = self.entry
        return node

    def visit_FunctionDef(self, node):
        self.generic_visit(node)
        if node.name == 'f':
            node.name = self.entry
        return node


def has_comment(source):
    tokens = tokenize.generate_tokens(io.StringIO(source).readline)
    return any(token.type == tokenize.COMMENT for token in tokens)


def drop_docstrings(module):
    dropped = False
    for node in ast.walk(module):
        if not isinstance(node, (*FUNCTIONS, ast.ClassDef, ast.Module)) or not node.body:
            continue
        first = node.body[0]
        if isinstance(first, ast.Expr) and isinstance(first.value, ast.Constant) and isinstance(first.value.value, str):
            node.body = node.body[1:] or ([] if isinstance(node, ast.Module) else [ast.Pass()])
            dropped = True
    return dropped


def transform_program(source, comments, global_names, entry):
    try:
        module = ast.parse(source)
        changed = False
        if comments:
            changed = drop_docstrings(module) or has_comment(source)
        if global_names:
            kept = [node for node in module.body
                    if isinstance(node, (*FUNCTIONS, ast.ClassDef, ast.Import, ast.ImportFrom))]
            changed = changed or len(kept) < len(module.body)
            module.body = kept
        if entry != 'f':
            module = Renamer(entry).visit(module)
            changed = True
        return ast.unparse(ast.fix_missing_locations(module)) if changed else source
    except (*BROKEN, tokenize.TokenError):
        return None


# --- literals ------------------------------------------------------------------------------------

CONSTRUCTORS = {'set', 'frozenset', 'bytearray', 'complex', 'float', 'deque', 'Counter', 'OrderedDict', 'defaultdict',
                'Fraction', 'Decimal', 'Subclass', 'range'}
SPECIAL_NUMBERS = {'inf', 'nan', 'infj', 'nanj'}
ARITHMETIC = (ast.Add, ast.Sub, ast.Mult, ast.Div, ast.FloorDiv, ast.Mod, ast.Pow)


def is_number(node):
    return isinstance(node, ast.Constant) and type(node.value) in (int, float, complex) or (
        isinstance(node, ast.Name) and node.id in SPECIAL_NUMBERS)


def is_literal(node, arithmetic):
    if isinstance(node, ast.Constant):
        return node.value is not Ellipsis
    if isinstance(node, ast.Name):
        return node.id in SPECIAL_NUMBERS
    if isinstance(node, (ast.List, ast.Tuple, ast.Set)):
        return all(is_literal(item, arithmetic) for item in node.elts)
    if isinstance(node, ast.Dict):
        return None not in node.keys and all(is_literal(item, arithmetic) for item in node.keys + node.values)
    if isinstance(node, ast.UnaryOp):
        plain = isinstance(node.op, (ast.USub, ast.UAdd)) and is_number(node.operand)
        return plain or arithmetic and is_literal(node.operand, True)
    if isinstance(node, ast.BinOp):
        if arithmetic:
            return isinstance(node.op, ARITHMETIC) and is_literal(node.left, True) and is_literal(node.right, True)
        right = node.right  # 1-2j is written as a difference
        return (isinstance(node.op, (ast.Add, ast.Sub)) and is_literal(node.left, False) and is_number(right) and
                (isinstance(right, ast.Name) or isinstance(right.value, complex)))
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and not node.keywords:
        return node.func.id in CONSTRUCTORS and all(is_written_out(item, arithmetic) for item in node.args)
    return False


def is_written_out(node, arithmetic):
    # Inside a constructor a call could only compute something: set(range(9)).
    return not isinstance(node, ast.Call) and is_literal(node, arithmetic)


def is_record(node):
    """A value of a class of the program's own, as named tuples and data classes print it: P(a=3, b=2)."""
    if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Name) or node.args or not node.keywords:
        return False
    return node.func.id not in CONSTRUCTORS and all(
        item.arg is not None and is_value(item.value) for item in node.keywords)


def is_value(node):
    if isinstance(node, (ast.List, ast.Tuple, ast.Set)):
        return all(is_value(item) for item in node.elts)
    if isinstance(node, ast.Dict):
        return None not in node.keys and all(is_value(item) for item in node.keys + node.values)
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in CONSTRUCTORS:
        plain = all(item.arg == 'maxlen' and isinstance(item.value, ast.Constant) for item in node.keywords)
        return plain and all(not isinstance(item, ast.Call) and is_value(item) for item in node.args)
    return is_record(node) or is_literal(node, False)


# defaultdict(<class 'int'>, {1: 2}) and the like print what makes their defaults.
FACTORY = re.compile(r"\bdefaultdict\((?:<[^<>]*(?:<[^<>]*>)?[^<>]*>|None), ")


def parse_value(text):
    try:
        return ast.parse(text.strip(), mode='eval').body
    except SyntaxError:
        return ast.parse(FACTORY.sub('defaultdict(', text.strip()), mode='eval').body


def check_literal(text, arguments):
    try:
        if not arguments:
            return is_value(parse_value(text))
        call = ast.parse('f(' + text + '\n)', mode='eval').body
        if not isinstance(call, ast.Call) or not isinstance(call.func, ast.Name):
            return False
        return all(is_literal(item, True) for item in call.args) and all(
            item.arg is not None and is_literal(item.value, True) for item in call.keywords)
    except BROKEN:
        return False


# --- arguments at random --------------------------------------------------------------------------

LETTERS = 'abcdefghijklmnopqrstuvwxyz'


def vary_int(value, rng):
    reach = abs(value) + 10
    return rng.choice([rng.randint(-reach, reach), rng.randint(0, 9), rng.randint(0, 2 * reach)])


def vary_text(value, rng):
    letters = value + value + LETTERS
    return ''.join(rng.choice(letters) for _ in range(rng.randint(0, len(value) + 2)))


def vary_items(items, rng):
    size = len(items) if rng.random() < 0.5 else rng.randint(0, len(items) + 2)
    return [vary(rng.choice(items) if items else 0, rng) for _ in range(size)]


def vary(value, rng):
    kind = type(value)
    if kind is bool:
        return rng.random() < 0.5
    if kind is int:
        return vary_int(value, rng)
    if kind is float and math.isfinite(value):
        return round(vary_int(int(min(max(value, -1e15), 1e15)), rng) + rng.random(), 2)
    if kind is str:
        return vary_text(value, rng)
    if kind is bytes:
        return vary_text(value.decode('latin-1'), rng).encode('utf-8')
    if kind is list:
        return vary_items(value, rng)
    if kind is tuple:
        return tuple(vary(item, rng) for item in value)
    if kind in (set, frozenset):
        # In an order that no hash decides.
        return kind(vary_items(sorted(value, key=repr), rng))
    if kind is dict:
        keys = vary_items(list(value), rng)
        values = list(value.values())
        return {key: vary(rng.choice(values) if values else 0, rng) for key in keys}
    return value


def vary_arguments(text, seed, count):
    try:
        call = ast.parse('f(' + text + '\n)', mode='eval').body
        rng = random.Random(seed)
        values = [(None, ast.literal_eval(item)) for item in call.args]
        values += [(item.arg, ast.literal_eval(item.value)) for item in call.keywords]
        lists = []
        for _ in range(count):
            parts = [(name, repr(vary(value, rng))) for name, value in values]
            lists.append(', '.join(part if name is None else f'{name}={part}' for name, part in parts))
        return lists
    except (*BROKEN, TypeError, AttributeError):
        return []

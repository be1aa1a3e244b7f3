"""Reads an environment's source without running it: layer 1 of validation. Trusted code; what it reads is not."""
import ast
import importlib
import types

BASE = 'VerifiableEnvironment'
ARGUMENTS = {'__init__': 0, '_generate': 2, '_prompt_generate': 0, '_process': 1, 'scorer': 1}  # without self
# As in the paper's figure 2, where _generate returns the problem and its reference and the others are handed them.
HANDED_ON = {**ARGUMENTS, '_prompt_generate': 1, 'scorer': 3}
REQUIRED = ('_generate', '_prompt_generate', '_process', 'scorer')
# What no environment needs, and what a scorer must never apply to a response.
FORBIDDEN = frozenset(('__import__', 'breakpoint', 'compile', 'delattr', 'eval', 'exec', 'exit', 'globals', 'help',
                       'input', 'locals', 'memoryview', 'open', 'quit', 'vars', '__builtins__', '__loader__',
                       '__spec__', 'SystemRandom', 'urandom'))
DUNDERS = frozenset(('__init__', '__new__', '__name__', '__class__', '__doc__', '__len__', '__iter__', '__next__',
                     '__getitem__', '__setitem__', '__contains__', '__eq__', '__ne__', '__lt__', '__le__', '__gt__',
                     '__ge__', '__hash__', '__repr__', '__str__', '__add__', '__sub__', '__mul__', '__neg__',
                     '__mod__', '__radd__', '__rmul__', '__truediv__', '__floordiv__', '__pow__', '__matmul__',
                     '__bool__', '__call__', '__slots__', '__post_init__', '__and__', '__or__', '__xor__', '__abs__',
                     '__missing__', '__int__', '__float__', '__index__', '__enter__', '__exit__'))


# The ways from an object to the code that runs it, and from there to everything.
FRAMES = frozenset(('f_back', 'f_builtins', 'f_code', 'f_globals', 'f_locals', 'f_trace', 'tb_frame', 'tb_next',
                    'gi_code', 'gi_frame', 'gi_yieldfrom', 'cr_await', 'cr_code', 'cr_frame', 'ag_code', 'ag_frame',
                    'co_code', 'co_consts', '_getframe', 'with_traceback'))
# What runs text as code: annotations are text where they are written in quotes, and types may hold more of it.
EVALUATING = frozenset(('get_type_hints', 'ForwardRef', '_evaluate', '_eval_type', 'get_annotations', 'evaluate_forward_ref',
                        'singledispatch', 'singledispatchmethod'))
BY_TEXT = frozenset(('getattr', 'hasattr', 'setattr'))


class Fault(Exception):
    def __init__(self, code, message, line=0):
        self.code, self.message, self.line = code, message, line


def parse(source):
    try:
        return ast.parse(source)
    except SyntaxError as error:
        raise Fault('syntax', f'it is not Python: {error.msg}', error.lineno or 0)
    except (ValueError, RecursionError, MemoryError) as error:
        raise Fault('syntax', f'it is not Python: {error}')


def check_imports(tree, allowed):
    for node in ast.walk(tree):
        names = []
        if isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            names = ['.' * node.level + (node.module or '')]
        for name in names:
            if name.partition('.')[0] not in allowed and name != '__future__':
                raise Fault('forbidden_import', f"it imports '{name}'; allowed are {', '.join(sorted(allowed))}",
                            node.lineno)


def check_names(tree):
    for node in ast.walk(tree):
        name = None
        if isinstance(node, ast.Name):
            name = node.id
        elif isinstance(node, ast.Attribute):
            name = node.attr
            if name in FORBIDDEN and not name.startswith('__') and name not in ('SystemRandom', 'urandom'):
                continue  # a method of that name: re.compile
        elif isinstance(node, ast.alias):
            name = node.name
        if name in EVALUATING:
            raise Fault('forbidden_name', f"it uses '{name}', which runs text as code", node.lineno)
        if name in FORBIDDEN or (name and is_unknown_dunder(name)):
            raise Fault('forbidden_name', f"it uses '{name}', which no environment needs", node.lineno)


def is_unknown_dunder(name):
    is_special = name.startswith('__') and name.endswith('__') and name.strip('_') != ''  # of "for __ in", nothing is used
    return is_special and name not in DUNDERS


def is_refused(name):
    return name in FORBIDDEN or name in FRAMES or name in EVALUATING or is_unknown_dunder(name)


def check_names_in_text(tree):
    """getattr(x, 'name') is x.name; with a name that is computed it could be anything."""
    plain = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Attribute) and node.attr in FRAMES:
            raise Fault('forbidden_name', f"it uses '{node.attr}', which no environment needs", node.lineno)
        if not (isinstance(node, ast.Call) and isinstance(node.func, ast.Name)):
            continue
        if node.func.id == 'type' and (len(node.args) != 1 or node.keywords):
            raise Fault('forbidden_name', "it uses 'type' to make a class; write it as a class", node.lineno)
        if node.func.id not in BY_TEXT:
            continue
        text = node.args[1] if len(node.args) > 1 else None
        if isinstance(text, ast.Constant) and isinstance(text.value, str) and not is_refused(text.value):
            plain.add(node.func)
    for node in ast.walk(tree):
        if isinstance(node, ast.Name) and node.id in BY_TEXT and node not in plain:
            raise Fault('forbidden_name', f"it uses '{node.id}' with something else than the plain name of an "
                        'attribute', node.lineno)


def public_names(module):
    names = getattr(module, '__all__', None)
    if names is None:
        names = [name for name, value in vars(module).items()
                 if not name.startswith('_') and not isinstance(value, types.ModuleType)]
    return set(names) | ({'abc'} if module.__name__ == 'collections' else set())


def member(module, path, name, node):
    """A public member of an imported module, or a fault."""
    if name not in public_names(module):
        raise Fault('forbidden_name', f"it uses '{path}.{name}', which is no public name of '{path}'", node.lineno)
    return getattr(module, name, None)


def check_paths(tree):
    """What stands behind an imported module: its public names, and nothing that it has imported itself."""
    modules, walked = {}, set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            for alias in node.names:
                full = importlib.import_module(alias.name)
                top = importlib.import_module(alias.name.partition('.')[0])
                modules[alias.asname or top.__name__] = full if alias.asname else top
        elif isinstance(node, ast.ImportFrom) and node.module and node.module != '__future__':
            module = importlib.import_module(node.module)
            for alias in node.names:
                if alias.name == '*':
                    continue
                value = member(module, node.module, alias.name, node)
                if isinstance(value, types.ModuleType):
                    modules[alias.asname or alias.name] = value
    for node in ast.walk(tree):
        if not isinstance(node, ast.Attribute):
            continue
        chain, root = [node], node.value
        while isinstance(root, ast.Attribute):
            chain.append(root)
            root = root.value
        if not isinstance(root, ast.Name) or root.id not in modules:
            continue
        walked.add(root)
        value, path = modules[root.id], root.id
        for step in reversed(chain):
            if not isinstance(value, types.ModuleType):
                break
            value, path = member(value, path, step.attr, step), f'{path}.{step.attr}'
    check_modules_as_values(tree, modules, walked)


def check_modules_as_values(tree, modules, walked):
    """A module that is handed on, as in rng = random, is reached by another name: it must have nothing behind it but
    what its private names show, and those are refused everywhere then."""
    private = set()
    for node in ast.walk(tree):
        is_read = isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load)
        if not is_read or node.id not in modules or node in walked:
            continue
        module = modules[node.id]
        inner = {name for name, value in vars(module).items() if isinstance(value, types.ModuleType)}
        if any(not name.startswith('_') for name in inner):
            raise Fault('forbidden_name', f"it uses the module '{node.id}' as a value; name what it needs of it",
                        node.lineno)
        private |= inner
    for node in ast.walk(tree):
        if isinstance(node, ast.Attribute) and node.attr in private:
            raise Fault('forbidden_name', f"it uses '{node.attr}', which no environment needs", node.lineno)


def own_class(tree):
    """The class that derives from the base class and from which no other does, and its in-file bases before it."""
    classes = [node for node in tree.body if isinstance(node, ast.ClassDef)]
    family = {BASE: []}
    for node in classes:
        if node.name == BASE:
            raise Fault('redefines_base', f'it defines {BASE} itself; the engine provides it', node.lineno)
        bases = [base.id for base in node.bases if isinstance(base, ast.Name)]
        if any(base in family for base in bases):
            family[node.name] = [node] + [item for base in bases for item in family.get(base, [])]
    parents = {base.id for node in classes for base in node.bases if isinstance(base, ast.Name)}
    leaves = [name for name in family if name not in parents and name != BASE]
    if not leaves:
        raise Fault('no_class', f'it defines no class that derives from {BASE}')
    if len(leaves) > 1:
        raise Fault('several_classes', f"it defines several environments: {', '.join(leaves)}; one file holds one",
                    family[leaves[-1]][0].lineno)
    return leaves[0], family[leaves[0]]


def required_arguments(function):
    args = function.args
    return len(args.posonlyargs) + len(args.args) - 1 - len(args.defaults)


def check_arguments(function, expected, reason=''):
    args = function.args
    if any(isinstance(item, ast.Name) and item.id in ('staticmethod', 'classmethod', 'property')
           for item in function.decorator_list):
        raise Fault('bad_signature', f"'{function.name}' must be an ordinary method", function.lineno)
    if isinstance(function, ast.AsyncFunctionDef):
        raise Fault('bad_signature', f"'{function.name}' must not be async", function.lineno)
    most = len(args.posonlyargs) + len(args.args) - 1
    least = most - len(args.defaults)
    keyword = [item.arg for item, value in zip(args.kwonlyargs, args.kw_defaults) if value is None]
    if not (least <= expected and (expected <= most or args.vararg)) or most < 0 or keyword:
        raise Fault('bad_signature', f"'{function.name}' must take self and {expected} more argument"
                    f"{'' if expected == 1 else 's'}{reason}", function.lineno)


def methods_of(lineage):
    methods = {}
    for node in reversed(lineage):
        for item in node.body:
            if isinstance(item, (ast.FunctionDef, ast.AsyncFunctionDef)):
                methods[item.name] = item
    return methods


def check_methods(name, lineage):
    methods = methods_of(lineage)
    for required in REQUIRED:
        if required not in methods:
            raise Fault('missing_method', f"the class {name} does not define '{required}'", lineage[0].lineno)
    handed_on = required_arguments(methods['_prompt_generate']) == 1
    for method, expected in (HANDED_ON if handed_on else ARGUMENTS).items():
        if method in methods:
            check_arguments(methods[method], expected, ', as _prompt_generate takes the problem' if handed_on else '')
    return methods


def constant_text(lineage, attribute):
    for node in lineage:
        for item in node.body:
            targets = item.targets if isinstance(item, ast.Assign) else [getattr(item, 'target', None)]
            if any(isinstance(target, ast.Name) and target.id == attribute for target in targets):
                try:
                    value = ast.literal_eval(item.value)
                except (ValueError, TypeError, AttributeError, RecursionError):
                    value = None
                if isinstance(value, str):
                    return value
    return ''


def inspect(source, allowed, longest):
    try:
        if not source.strip():
            raise Fault('no_code', 'there is no Python code')
        if len(source) > longest:
            raise Fault('too_long', f'it has {len(source)} characters; at most {longest} are read')
        tree = parse(source)
        check_imports(tree, frozenset(allowed))
        check_names(tree)
        check_names_in_text(tree)
        check_paths(tree)
        name, lineage = own_class(tree)
        methods = check_methods(name, lineage)
        return {'class_name': name, 'prompt_template': constant_text(lineage, 'prompt_template'),
                'lines': {method: methods[method].lineno for method in REQUIRED}}
    except Fault as fault:
        return {'fault': fault.code, 'message': fault.message, 'line': fault.line}
    except (RecursionError, MemoryError):
        return {'fault': 'syntax', 'message': 'it is nested too deeply', 'line': 0}

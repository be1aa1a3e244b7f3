"""Runs programs and their tests in the sandbox (separate_tests.h). Each child executes this text before its own source.

Statements that test a program run in a child that never executes the program: `record` notes which calls they make of
a reference, `answers` makes these calls of a program in a child of its own, and `replay` runs the statements with the
answers. So a program cannot read, change or skip what tests it."""
import ast as _ast
import builtins as _builtins
import copy as _copy
import random as _random
import sys as _sys
import types as _types

_sys.set_int_max_str_digits(0)


def _redqueen_defines(program, name):
    """Whether a program binds a name at its top level, by its syntax tree."""
    try:
        pending = list(_ast.parse(program).body)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return False
    while pending:
        node = pending.pop()
        if isinstance(node, (_ast.FunctionDef, _ast.AsyncFunctionDef, _ast.ClassDef)):
            if node.name == name:
                return True
        elif isinstance(node, (_ast.Import, _ast.ImportFrom)):
            if any((alias.asname or alias.name) == name for alias in node.names):
                return True
        elif isinstance(node, _ast.Name):
            if isinstance(node.ctx, _ast.Store) and node.id == name:
                return True
        else:
            pending.extend(_ast.iter_child_nodes(node))
    return False


def _redqueen_load(program, before, stub, entry_point, space=None):
    """Executes a program as a module that is not __main__, so that what it guards by its name does not run. One that
    does not define the entry point continues the stub."""
    if space is None:
        space = globals()
        _sys.modules['solution'] = _sys.modules['__main__']
    space['__name__'] = 'solution'
    if entry_point and stub and not _redqueen_defines(program, entry_point):
        program = stub + program
    elif before:
        exec(compile(before, 'before.py', 'exec', dont_inherit=True), space)
    try:
        exec(compile(program, 'main.py', 'exec', dont_inherit=True), space)
    except BaseException as error:
        raise RuntimeError(f'the program did not load: {type(error).__name__}: {error}') from None


def _redqueen_plain(value):
    """A copy of a value as Python's own types; numbers of numpy become Python's."""
    kind = type(value)
    if kind in (int, float, str, bytes, bool, complex, type(None)):
        return value
    if kind in (list, tuple, set, frozenset):
        return kind([_redqueen_plain(item) for item in value])
    if kind is dict:
        return {_redqueen_plain(key): _redqueen_plain(item) for key, item in value.items()}
    if kind.__module__ == 'numpy' and not hasattr(value, '__len__') and hasattr(value, 'item'):
        return value.item()
    if kind.__name__ == 'Subclass' and hasattr(value, 'value'):  # as the sandbox reads such a value
        return _redqueen_plain(value.value)
    return _copy.deepcopy(value)


_redqueen_iterators = (_types.GeneratorType, map, filter, zip, enumerate, reversed, type(iter([])), type({}.keys()),
                       type({}.values()), type({}.items()))


def _redqueen_answers(calls):
    """What a program answers to calls: (0, value), (1, names of an exception's classes) or (2, items of an iterator)."""
    answers = []
    space = globals()
    for name, args, kwargs in calls:
        try:
            value = space[name](*_redqueen_plain(args), **_redqueen_plain(kwargs))
            if isinstance(value, _redqueen_iterators):
                answers.append((2, [_redqueen_plain(item) for item in value]))
                continue
        except SystemExit:
            raise RuntimeError('the program left before its tests ended') from None
        except Exception as error:
            answers.append((1, [kind.__name__ for kind in type(error).__mro__]))
        else:
            answers.append((0, _redqueen_plain(value)))
    return answers


def _redqueen_free_names(text, known):
    """Names that statements use and neither bind nor find."""
    used, bound = set(), set(known) | set(dir(_builtins)) | {'__name__', '__file__'}
    for node in _ast.walk(_ast.parse(text)):
        if isinstance(node, _ast.Name):
            (used if isinstance(node.ctx, _ast.Load) else bound).add(node.id)
        elif isinstance(node, (_ast.FunctionDef, _ast.AsyncFunctionDef, _ast.ClassDef)):
            bound.add(node.name)
        elif isinstance(node, _ast.arg):
            bound.add(node.arg)
        elif isinstance(node, (_ast.Import, _ast.ImportFrom)):
            bound.update((alias.asname or alias.name).partition('.')[0] for alias in node.names)
            if any(alias.name == '*' for alias in node.names):
                scratch = {}
                exec(compile(_ast.Module([node], []), 'imports.py', 'exec'), scratch)
                bound.update(scratch)
        elif isinstance(node, _ast.ExceptHandler) and node.name:
            bound.add(node.name)
    return sorted(used - bound)


def _redqueen_space(before):
    space = {'__name__': 'tests', '__builtins__': _builtins}
    exec(compile(before, 'before.py', 'exec', dont_inherit=True), space)
    return space


def _redqueen_seed():
    _random.seed(20)
    if 'numpy' in _sys.modules:
        _sys.modules['numpy'].random.seed(20)


def _redqueen_record(tests, before, stub, entry_point, reference):
    """The calls that tests make of a reference. Fails where the tests fail, or where they use of the program what is
    no function."""
    program = {'__builtins__': _builtins}
    _redqueen_load(reference, before, stub, entry_point, program)
    space = _redqueen_space(before)
    names = _redqueen_free_names(tests, space)
    if not names:
        raise LookupError('the tests call no function of the program')
    for name in names:
        if name not in program or isinstance(program[name], type) or not callable(program[name]):
            raise LookupError(f'the tests use {name}, which is no function of the program')
    calls = []

    def recorder(name):
        def call(*args, **kwargs):
            calls.append((name, _redqueen_plain(list(args)), _redqueen_plain(kwargs)))
            state = _random.getstate()
            try:
                return program[name](*args, **kwargs)
            finally:
                _random.setstate(state)
        return call

    space.update((name, recorder(name)) for name in names)
    _redqueen_seed()
    exec(compile(tests, 'tests.py', 'exec', dont_inherit=True), space)
    return calls


def _redqueen_replay(tests, before):
    """A function of calls and answers to them that runs the tests with these answers."""

    def run(calls, answers):
        if len(calls) != len(answers):
            return False
        at = 0

        def place_of(call):
            nonlocal at
            if at < len(calls) and (calls[at] == call or repr(calls[at]) == repr(call)):  # NaN does not equal itself
                at += 1
                return at - 1
            return calls.index(call)  # another order than the reference's; ValueError: a call that was never made

        def replayer(name):
            def call(*args, **kwargs):
                kind, value = answers[place_of((name, _redqueen_plain(list(args)), _redqueen_plain(kwargs)))]
                if kind == 1:
                    raise next(one for one in (getattr(_builtins, text, None) for text in value)
                               if isinstance(one, type) and issubclass(one, Exception))()
                value = _redqueen_plain(value)
                return iter(value) if kind == 2 else value
            return call

        space = _redqueen_space(before)
        space.update((name, replayer(name)) for name in {call[0] for call in calls})
        _redqueen_seed()
        exec(compile(tests, 'tests.py', 'exec', dont_inherit=True), space)
        return True

    return run

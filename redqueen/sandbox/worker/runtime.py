import ast
import atexit
import collections
import decimal
import fractions
import json
import operator
import re
import sys
import traceback


class Refused(ImportError):
    """Something outside the profile."""


# --- the profile ---------------------------------------------------------------------------------
# import_refusal(name) and attribute_refusal(name) come from import_guard.cc: a message, or None.

def _refuse(problem, node):
    if problem:
        error = Refused(problem)
        error.line = node.lineno
        raise error


def _chain(node, aliases):
    """The dotted name of an attribute of something imported; '' of anything else that has its name."""
    root, _, rest = (_dotted_name(node) or '').partition('.')
    return f'{aliases[root]}.{rest}' if root in aliases else ''


def check(tree):
    aliases, chains, pending = {}, [], [tree]
    while pending:
        node = pending.pop()
        kind = type(node)
        if kind is ast.Import:
            for alias in node.names:
                _refuse(import_refusal(alias.name), node)
                top = alias.name.partition('.')[0]
                aliases[alias.asname or top] = alias.name if alias.asname else top
        elif kind is ast.ImportFrom:
            if node.level == 0 and node.module:
                for alias in node.names:
                    _refuse(import_refusal(f'{node.module}.{alias.name}'), node)
                    aliases[alias.asname or alias.name] = f'{node.module}.{alias.name}'
        elif kind is ast.Attribute:
            chains.append(node)
        for field in node._fields:
            value = getattr(node, field, None)
            if type(value) is list:
                pending.extend(item for item in value if isinstance(item, ast.AST))
            elif isinstance(value, ast.AST):
                pending.append(value)
    for node in chains:
        _refuse(attribute_refusal(_chain(node, aliases)), node)


# --- programs as their users run them ------------------------------------------------------------

def end_of(error):
    """The exit code of what a program did not catch, told as Python tells it."""
    if isinstance(error, SystemExit):
        if error.code is None:
            return 0
        if isinstance(error.code, int):
            return error.code & 0xFF
        print(error.code, file=sys.stderr)
        return 1
    trace = error.__traceback__
    while trace is not None and trace.tb_frame.f_code.co_filename != 'main.py':
        trace = trace.tb_next
    traceback.print_exception(type(error), error, trace)
    return 1


def finish():
    threading = sys.modules.get('threading')
    if threading is not None:
        threading._shutdown()
    atexit._run_exitfuncs()


# --- asyncio -------------------------------------------------------------------------------------

def mend_asyncio():
    """Its loop wants epoll and a pair of sockets, to be woken by other threads and by signals. A child has poll() and
    pipes, which do as well where nothing else can be waited for."""
    import asyncio.selector_events
    import os
    import selectors

    class Pipe:
        """What the loop uses of its two sockets."""

        def __init__(self, end):
            self.end = end

        def fileno(self):
            return self.end

        def recv(self, size):
            return os.read(self.end, size)

        def send(self, data):
            return os.write(self.end, data)

        def close(self):
            os.close(self.end)

    def make_self_pipe(loop):
        read, write = os.pipe2(os.O_NONBLOCK | os.O_CLOEXEC)
        loop._ssock, loop._csock = Pipe(read), Pipe(write)
        loop._internal_fds += 1
        loop._add_reader(read, loop._read_from_self)

    def close_self_pipe(loop):
        loop._remove_reader(loop._ssock.fileno())
        loop._ssock.close()
        loop._csock.close()
        loop._ssock = loop._csock = None
        loop._internal_fds -= 1

    kind = asyncio.selector_events.BaseSelectorEventLoop
    kind._make_self_pipe, kind._close_self_pipe = make_self_pipe, close_self_pipe
    selectors.DefaultSelector = selectors.PollSelector


# --- arguments -----------------------------------------------------------------------------------

def _dotted_name(node):
    parts = []
    while type(node) is ast.Attribute:
        parts.append(node.attr)
        node = node.value
    return '.'.join([node.id] + parts[::-1]) if type(node) is ast.Name else None


def _parse_call(function, text):
    try:
        tree = compile(f'{function}({text}\n)', '<call>', 'eval', ast.PyCF_ONLY_AST)
    except SyntaxError as error:
        raise ValueError(f'the arguments are not Python: {error.msg}') from None
    call = tree.body
    if type(call) is not ast.Call or _dotted_name(call.func) != function:
        raise ValueError('the arguments are not the inside of one pair of parentheses')
    return tree


def expression(function, text):
    return compile(_parse_call(function, text), '<call>', 'eval')


def literal_arguments(text):
    call = _parse_call('f', text).body
    args = tuple(_build(item) for item in call.args)
    kwargs = {}
    for item in call.keywords:
        if item.arg is None:
            raise ValueError('** is no literal')
        kwargs[item.arg] = _build(item.value)
    return args, kwargs


def json_arguments(text):
    args = json.loads(text)
    if type(args) is not list:
        raise ValueError('the arguments are not a JSON array')
    return tuple(args), {}


# --- literals ------------------------------------------------------------------------------------

class Subclass:
    """A value of a class that inherits its equality from a built-in type."""

    def __init__(self, name, value):
        self.name, self.value = name, value


_constructors = {
    'set': set, 'frozenset': frozenset, 'list': list, 'tuple': tuple, 'dict': dict, 'range': range,
    'bytearray': bytearray, 'complex': complex, 'float': float, 'deque': collections.deque,
    'Counter': collections.Counter, 'OrderedDict': collections.OrderedDict,
    'defaultdict': lambda items: collections.defaultdict(None, items),
    'Fraction': fractions.Fraction, 'Decimal': decimal.Decimal, 'Subclass': Subclass,
}
_names = {'inf': float('inf'), 'nan': float('nan'), 'infj': complex(0, float('inf')),
          'nanj': complex(0, float('nan')), 'Ellipsis': ...}
_unary = {ast.USub: operator.neg, ast.UAdd: operator.pos, ast.Invert: operator.invert, ast.Not: operator.not_}
_binary = {ast.Add: operator.add, ast.Sub: operator.sub, ast.Mult: operator.mul, ast.Div: operator.truediv,
           ast.FloorDiv: operator.floordiv, ast.Mod: operator.mod, ast.Pow: operator.pow}
_MOST_BITS = 100_000  # of an integer that arithmetic makes
_MOST_ITEMS = 1_000_000  # of a sequence


def _size(value):
    """Bits of a number, items of a sequence: what an operator could multiply."""
    if isinstance(value, int):
        return max(value.bit_length(), 1)
    if isinstance(value, (str, bytes, list, tuple)):
        return len(value)
    if isinstance(value, (float, complex)):
        return 64
    raise ValueError('not a literal: arithmetic on what is no number, text or list')


def _arithmetic(kind, left, right):
    """Folds what people write as part of a literal (2 ** 10, [0] * 3), as long as it stays small."""
    sizes = _size(left), _size(right)
    sequences = [item for item in (left, right) if not isinstance(item, (int, float, complex))]
    if kind is ast.Mod and sequences:
        raise ValueError('not a literal: formatting')
    if kind is ast.Mult and sequences:
        times = right if sequences[0] is left else left
        if not isinstance(times, int) or times * len(sequences[0]) > _MOST_ITEMS:
            raise ValueError('not a literal: too long')
    elif kind is ast.Pow and isinstance(left, int) and isinstance(right, int):
        if sizes[0] * abs(right) > _MOST_BITS:
            raise ValueError('not a literal: too large')
    elif sum(sizes) > _MOST_ITEMS:
        raise ValueError('not a literal: too large')
    return _binary[kind](left, right)


def _build(node):
    kind = type(node)
    if kind is ast.Constant:
        return node.value
    if kind is ast.List:
        return [_build(item) for item in node.elts]
    if kind is ast.Tuple:
        return tuple([_build(item) for item in node.elts])
    if kind is ast.Set:
        return {_build(item) for item in node.elts}
    if kind is ast.Dict and None not in node.keys:
        return {_build(key): _build(value) for key, value in zip(node.keys, node.values)}
    if kind is ast.UnaryOp:
        return _unary[type(node.op)](_build(node.operand))
    if kind is ast.BinOp and type(node.op) in _binary:
        return _arithmetic(type(node.op), _build(node.left), _build(node.right))
    if kind is ast.Name and node.id in _names:
        return _names[node.id]
    if kind is ast.Call and type(node.func) is ast.Name and node.func.id in _constructors and not node.keywords:
        return _constructors[node.func.id](*[_build(item) for item in node.args])
    if kind is ast.Call and type(node.func) is ast.Name and node.keywords:
        return _build_call(node)
    raise ValueError('not a literal')


def _build_call(node):
    """What prints its fields by name: a named tuple, whose canonical text has its values alone; a deque of bounded length."""
    name = node.func.id
    if name == 'deque' and [item.arg for item in node.keywords] == ['maxlen']:
        return _constructors[name](*[_build(item) for item in node.args])
    if node.args or name in _constructors or any(item.arg is None for item in node.keywords):
        raise ValueError('not a literal')
    return Subclass(name, tuple([_build(item.value) for item in node.keywords]))


# defaultdict(<class 'int'>, {1: 2}) and the like print what makes their defaults.
_factory = re.compile(r"\bdefaultdict\((?:<[^<>]*(?:<[^<>]*>)?[^<>]*>|None), ")


def _parse_value(text):
    try:
        return ast.parse(text.strip(), '<value>', 'eval').body
    except SyntaxError:
        return ast.parse(_factory.sub('defaultdict(', text.strip()), '<value>', 'eval').body


def _literal(text):
    try:
        return _build(_parse_value(text))
    except (ArithmeticError, AttributeError, LookupError, RecursionError, SyntaxError, TypeError) as error:
        raise ValueError(f'not a literal: {error}') from None


# --- equality ------------------------------------------------------------------------------------

def _is_nan(value):
    return isinstance(value, float) and value != value


def _same_scalar(left, right):
    if type(left) is complex or type(right) is complex:
        try:
            left, right = complex(left), complex(right)
        except (TypeError, ValueError, OverflowError):
            return False
        return _same(left.real, right.real, False) and _same(left.imag, right.imag, False)
    if _is_nan(left) and _is_nan(right):
        return True
    try:
        return bool(left == right)
    except ArithmeticError:  # a signalling NaN of decimal
        return False


def _same_sequence(left, right, strict):
    return len(left) == len(right) and all(_same(a, b, strict) for a, b in zip(left, right))


def _match(left, right, same):
    """A one-to-one match of two lists of hashables, for what hashing cannot find (NaN, or strict types)."""
    left = list(left)
    for item in right:
        for position, other in enumerate(left):
            if same(other, item):
                del left[position]
                break
        else:
            return False
    return not left


def _same_set(left, right, strict):
    if len(left) != len(right):
        return False
    if strict:
        twins = {item: item for item in right}
        rest = [item for item in left if item not in twins or not _same(item, twins[item], True)]
        gone = set(left) - set(rest) if len(rest) < len(left) else set()
        return _match(rest, [item for item in right if item not in gone], lambda a, b: _same(a, b, True))
    return _match(left - right, right - left, lambda a, b: _same(a, b, False))


def _same_dict(left, right, strict):
    if len(left) != len(right):
        return False
    if strict and not _same_set(left.keys(), right.keys(), True):
        return False
    rest = [item for item in left.items() if item[0] not in right]
    if any(key in right and not _same(value, right[key], strict) for key, value in left.items()):
        return False
    return _match(rest, [item for item in right.items() if item[0] not in left],
                  lambda a, b: _same(a[0], b[0], strict) and _same(a[1], b[1], strict))


def _ordered(value):
    return type(value) is collections.OrderedDict


def _same(left, right, strict):
    if strict and type(left) is not type(right):
        return False
    if type(left) is Subclass and type(right) is Subclass and strict and left.name != right.name:
        return False
    left = left.value if type(left) is Subclass else left
    right = right.value if type(right) is Subclass else right
    for kind in (list, tuple):
        if isinstance(left, kind):
            return isinstance(right, kind) and _same_sequence(left, right, strict)
    if isinstance(left, dict):
        if not isinstance(right, dict):
            return False
        if _ordered(left) and _ordered(right):
            return _same_sequence(list(left.items()), list(right.items()), strict)
        return _same_dict(left, right, strict)
    if isinstance(left, (set, frozenset)):
        return isinstance(right, (set, frozenset)) and _same_set(left, right, strict)
    if type(left) is collections.deque:
        return type(left) is type(right) and _same_sequence(left, right, strict)
    return _same_scalar(left, right)


def compare(left, right, strict, unread):
    """Of two values; of the text of one that is yet to be read."""
    if True in unread:
        sys.set_int_max_str_digits(0)
    try:
        left = _literal(left) if unread[0] else left
        right = _literal(right) if unread[1] else right
        return _same(left, right, strict)
    except RecursionError:
        raise ValueError('not a literal: nested too deeply') from None


# --- warming up ----------------------------------------------------------------------------------

_sample = '''
import math
from collections import Counter
def f(x, *rest, key=None):
    total = 0
    for i, item in enumerate([x, *rest]):
        total += len(str(item)) * i
    text = ', '.join(sorted({'a': 1, 'b': 2}.keys(), key=lambda k: -ord(k)))
    try:
        return [total, text, (x,), {x: None}, f'{total:>4}', Counter(text).most_common(1)]
    finally:
        print(end='')
class A:
    def __init__(self, value):
        self.value = value
    def get(self):
        return self.value
value = f(1, 2.5, 'x', key=A(3).get())
'''


# What programs ask of the library's own Python code. A piece runs where its modules are preloaded, and only there.
_library_samples = {
    ('dataclasses', 'typing'): '''
from dataclasses import asdict, dataclass, field, replace
from typing import Dict, List, Optional, Tuple
@dataclass
class Item:
    name: str
    tags: List[str] = field(default_factory=list)
    parent: Optional['Item'] = None
@dataclass(frozen=True, order=True)
class Cell:
    row: int
    column: int = 0
item = Item('a', ['b'])
value = [item == Item('a'), repr(item), asdict(item), sorted({Cell(2), Cell(1, 1)}), replace(Cell(1), row=3)]
def lookup(table: Dict[str, int], key: Tuple[str, ...]) -> Optional[int]:
    return table.get(key[0])
''',
    ('enum',): '''
from enum import Enum, Flag, IntEnum, auto
class Shape(Enum):
    ROUND = 'round'
    FLAT = 'flat'
class Rank(IntEnum):
    LOW = auto()
    HIGH = auto()
class Right(Flag):
    READ = auto()
    WRITE = auto()
value = [Shape('flat'), Shape['ROUND'].value, Rank.HIGH > Rank.LOW, list(Rank), Shape.FLAT.name, Right.READ | Right.WRITE]
''',
    ('fractions', 'decimal', 'statistics'): '''
from decimal import ROUND_HALF_UP, Decimal, localcontext
from fractions import Fraction
import statistics
third = Fraction(1, 3)
value = [third + Fraction('2/7'), third * 3 - 1, third / 2, third < 1, float(third), sum([third, third]),
         Fraction(0.25).limit_denominator(9), abs(-third) ** 2, str(third), hash(third), third == 2]
with localcontext() as context:
    context.prec = 30
    value.append(str((Decimal('1.10') / 3).quantize(Decimal('0.01'), rounding=ROUND_HALF_UP)))
data = [2, 3.5, 3.5, 7]
value += [statistics.mean(data), statistics.median(data), statistics.mode(data), statistics.pstdev(data),
          statistics.stdev(data), statistics.variance([1, 2, 4])]
''',
    ('re', 'string', 'textwrap'): '''
import re
import string
import textwrap
re.purge()
word = re.compile(r'(?P<key>[A-Za-z_]\\w*)\\s*=\\s*(\\d+|"[^"]*")(?:,|$)', re.IGNORECASE)
value = [match.groupdict() for match in word.finditer('a = 1, b_2="x y"')]
value += [re.sub(r'[^a-z ]+|\\s{2,}', lambda found: found.group().upper(), 'ab-c  d9'), re.split(r'[;,] *', 'a, b;c'),
          re.findall(r'^\\d{1,3}(?:\\.\\d{1,3}){3}$', '10.0.0.1'), textwrap.dedent('  a\\n  b'), textwrap.fill('a b ' * 30, 40),
          string.capwords('a b'), string.Template('$a').substitute(a=1)]
re.purge()
''',
    ('collections', 'functools', 'itertools', 'heapq', 'contextlib', 'operator'): '''
import heapq
import itertools
from collections import Counter, OrderedDict, defaultdict, deque, namedtuple
from contextlib import contextmanager
from functools import cmp_to_key, lru_cache, partial, reduce, total_ordering, wraps
from operator import itemgetter
Point = namedtuple('Point', 'x y')
@lru_cache(maxsize=None)
def ways(n):
    return 1 if n < 2 else ways(n - 1) + ways(n - 2)
def traced(function):
    @wraps(function)
    def inner(*args, **kwargs):
        return function(*args, **kwargs)
    return inner
@total_ordering
class Size:
    def __init__(self, bytes):
        self.bytes = bytes
    def __eq__(self, other):
        return self.bytes == other.bytes
    def __lt__(self, other):
        return self.bytes < other.bytes
@contextmanager
def counted(log):
    log.append('in')
    yield log
    log.append('out')
with counted([]) as log:
    queue = []
    for item in [(3, 'c'), (1, 'a'), (2, 'b')]:
        heapq.heappush(queue, item)
counts = Counter('abca') + Counter(a=1)
counts.update('bb')
value = [ways(12), traced(max)(1, 2), Size(1) >= Size(2), log, heapq.heappop(queue), counts.most_common(2), counts - Counter('a'),
         Point(1, 2)._replace(x=3), Point(1, 2)._asdict(), OrderedDict(a=1), sorted('ba', key=cmp_to_key(lambda a, b: ord(a) - ord(b))),
         [list(group) for _, group in itertools.groupby('aab')], list(heapq.merge([1, 4], [2])), heapq.nlargest(2, [1, 3, 2]),
         reduce(lambda a, b: a * b, range(1, 20)), partial(int, base=2)('101'), deque([1, 2], 1), itemgetter(1)([1, 2])]
''',
    ('abc', 'json', 'copy', 'random'): '''
import copy
import json
import random
from abc import ABC, abstractmethod
class Animal(ABC):
    @abstractmethod
    def sound(self):
        ...
class Dog(Animal):
    def sound(self):
        return 'wuff'
    @property
    def legs(self):
        return 4
    @classmethod
    def make(cls):
        return cls()
draw = random.Random(7)
order = list(range(5))
draw.shuffle(order)
tree = {'a': [1, {'b': (2, None)}], 'c': Dog.make().sound()}
value = [Dog().legs, isinstance(Dog(), Animal), json.loads(json.dumps(tree, sort_keys=True, indent=1)), copy.deepcopy(tree),
         order, draw.randint(1, 6), draw.choice('abc'), draw.sample(order, 2), draw.uniform(0, 1), draw.gauss(0, 1)]
''',
}


def _warm_up_library():
    for modules, sample in _library_samples.items():
        if all(name in sys.modules for name in modules):
            for _ in range(12):  # CPython specialises code from its eighth run on
                exec(compile(sample, '<sample>', 'exec'), {'__name__': '__main__'})


def warm_up():
    """What nearly every job does, done often enough that the interpreter has specialised its code and filled its
    caches: each page that a child would write for that is a page that its fork need not copy."""
    for _ in range(80):
        check(compile(_sample, '<sample>', 'exec', ast.PyCF_ONLY_AST))
        exec(compile(_sample, '<sample>', 'exec'), {'__name__': '__main__'})
        literal_arguments("1, -2.5, [2, 'a'], {'k': (None, True)}, x={3}")
        json_arguments('[1, {"a": [null, 2.5]}]')
        expression('f', '1, [2]')
        _same(_literal('[1, 2.5, (3,), {4: 5}]'), _literal('[1, 2.5, (3,), {4: 5}]'), False)
    _warm_up_library()

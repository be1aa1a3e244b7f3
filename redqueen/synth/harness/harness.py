"""Hosts one environment in the sandbox: makes problems, stores and restores them, scores responses.

The environment runs in a namespace of its own. What it raises becomes a value, {'fault': ..., ...}, with the line of
its file. Everything that leaves is plain JSON.
"""
import collections
import random

ENVIRONMENT_FILE = '<environment>'
DEEPEST = 50
LONGEST_INTEGER = 10 ** 4000
MOST_VALUES = 200000  # in a problem's state
STABLE = 1e-9

_namespace = {}
_class = None
_load_fault = None
_sources = None  # of the base class and of the environment that is hosted
_values = 0  # that encode() has met
_form = 0  # the form of the reference's text that was read last time: tried first


class Fault(Exception):
    """Something that the environment does wrong."""

    def __init__(self, code, message, line=0):
        super().__init__(message)
        self.report = {'fault': code, 'message': message[:500], 'line': line}


def line_of(error):
    """The innermost line of the environment's own file."""
    line, frame = 0, error.__traceback__
    while frame is not None:
        if frame.tb_frame.f_code.co_filename == ENVIRONMENT_FILE:
            line = frame.tb_lineno
        frame = frame.tb_next
    return line


def guarded(where, function, *arguments):
    """Calls into the environment."""
    try:
        return function(*arguments)
    except MemoryError:
        raise Fault('memory', f'{where} uses too much memory') from None
    except BaseException as error:
        if isinstance(error, ImportError):
            raise Fault('forbidden_import', str(error), line_of(error)) from None
        raise Fault('raises', f'{where} raises {type(error).__name__}: {text_of(error)}', line_of(error)) from None


def text_of(error):
    try:
        return str(error)
    except BaseException:
        return '?'


def boot(base_source, source):
    global _class, _load_fault, _sources
    _sources = _sources or (base_source, source)
    base = {'__name__': 'base'}
    exec(compile(base_source, '<base>', 'exec'), base)
    _namespace.update({key: value for key, value in base.items() if not key.startswith('_')})
    _namespace['__name__'] = '__main__'
    parent = base['VerifiableEnvironment']
    try:
        guarded('the module', lambda: exec(compile(source, ENVIRONMENT_FILE, 'exec'), _namespace))
        classes = [item for item in _namespace.values()
                   if isinstance(item, type) and issubclass(item, parent) and item is not parent]
        leaves = [item for item in classes if not any(issubclass(other, item) and other is not item
                                                      for other in classes)]
        if not leaves:
            raise Fault('no_class', 'it defines no class that derives from VerifiableEnvironment')
        _class = leaves[-1]
    except Fault as fault:
        _load_fault = fault.report


def fresh():
    if _load_fault:
        raise Fault(_load_fault['fault'], _load_fault['message'], _load_fault['line'])
    return guarded('the constructor', _class)


# --- the two interfaces --------------------------------------------------------------------------

def hands_on():
    """Whether the environment hands its problem from method to method: `_generate` returns (problem, reference),
    `_prompt_generate` takes the problem, and `scorer` takes response, problem and reference. Otherwise all of it stands
    on self. Where it is handed on, the harness keeps it on self, as `instance` and `ref_answer`."""
    method = getattr(_class, '_prompt_generate', None)
    code = getattr(method, '__code__', None)
    return code is not None and code.co_argcount - len(method.__defaults__ or ()) == 2


def generated(env, seed, level):
    made = guarded('_generate', env._generate, seed, level)
    if not hands_on():
        return
    if type(made) not in (tuple, list) or len(made) != 2:
        raise Fault('no_reference', '_generate returns no pair of a problem and its reference, though _prompt_generate '
                    'takes a problem')
    env.instance, env.ref_answer = made


def prompt_of(env):
    return guarded('_prompt_generate', env._prompt_generate, *((env.instance,) if hands_on() else ()))


def score_of(env, parsed, text):
    arguments = (text, env.instance, env.ref_answer) if hands_on() else (parsed,)
    return number(guarded('scorer', env.scorer, *arguments))


# --- state ---------------------------------------------------------------------------------------

def plain_key(key):
    return type(key) is str and not key.startswith('$')


def order_key(item):
    return (type(item).__name__, repr(item))


def known(kind):
    """A class of the environment's own that can be found again by its name."""
    return _namespace.get(kind.__name__) is kind


def encode(value):
    """A value as JSON, with tags for what JSON lacks."""
    global _values
    _values = 0
    return part(value, 0)


def part(value, depth):
    global _values
    _values += 1
    if _values > MOST_VALUES:
        raise Fault('state_too_large', f'it stores more than {MOST_VALUES} values on self')
    kind = type(value)
    if value is None or kind in (bool, str):
        return value
    if kind is int:
        return value if -LONGEST_INTEGER < value < LONGEST_INTEGER else {'$int': hex(value)}
    if kind is float:
        return value if value - value == 0 else {'$float': repr(value)}
    if depth > DEEPEST:
        raise Fault('state', f'what it stores on self is nested deeper than {DEEPEST}, or contains itself')
    inner = depth + 1
    if kind is list:
        return [part(item, inner) for item in value]
    if kind is dict and all(map(plain_key, value)):
        return {key: part(item, inner) for key, item in value.items()}
    if kind in (tuple, collections.deque):
        return {'$' + kind.__name__: [part(item, inner) for item in value]}
    if kind in (set, frozenset):
        return {'$' + kind.__name__: [part(item, inner) for item in sorted(value, key=order_key)]}
    if kind in (dict, collections.Counter, collections.OrderedDict):
        return {'$' + kind.__name__: [[part(key, inner), part(item, inner)] for key, item in value.items()]}
    if kind is collections.defaultdict and value.default_factory in FACTORIES:
        name = FACTORIES[value.default_factory]
        return {'$defaultdict': [name, [[part(key, inner), part(item, inner)] for key, item in value.items()]]}
    if kind in (bytes, bytearray):
        return {'$' + kind.__name__: list(value)}
    if kind is range:
        return {'$range': [value.start, value.stop, value.step]}
    if kind is complex:
        return {'$complex': [part(value.real, inner), part(value.imag, inner)]}
    if kind is random.Random:
        version, words, gauss = value.getstate()
        return {'$random': [version, list(words), gauss]}
    if known(kind) and isinstance(value, tuple) and hasattr(value, '_fields'):
        return {'$object': [kind.__name__, [part(item, inner) for item in value]]}
    if known(kind) and type(getattr(value, '__dict__', None)) is dict and not isinstance(value, type):
        return {'$object': [kind.__name__, part(value.__dict__, inner)]}
    raise Fault('state', f'it stores a value of type {kind.__name__} on self, which cannot be stored for later')


FACTORIES = {int: 'int', float: 'float', list: 'list', set: 'set', dict: 'dict', str: 'str', None: 'None'}


def pairs(items):
    return [(decode(key), decode(item)) for key, item in items]


def decode_object(name, content):
    kind = _namespace[name]
    if type(content) is list:
        return kind(*map(decode, content))
    made = kind.__new__(kind)
    made.__dict__.update(decode(content))
    return made


def decode_random(content):
    made = random.Random()
    made.setstate((content[0], tuple(content[1]), content[2]))
    return made


DECODERS = {
    '$int': lambda text: int(text, 16), '$float': float,
    '$tuple': lambda items: tuple(map(decode, items)),
    '$deque': lambda items: collections.deque(map(decode, items)),
    '$set': lambda items: set(map(decode, items)), '$frozenset': lambda items: frozenset(map(decode, items)),
    '$dict': lambda items: dict(pairs(items)), '$Counter': lambda items: collections.Counter(dict(pairs(items))),
    '$OrderedDict': lambda items: collections.OrderedDict(pairs(items)),
    '$defaultdict': lambda content: collections.defaultdict(
        {name: factory for factory, name in FACTORIES.items()}[content[0]], pairs(content[1])),
    '$bytes': bytes, '$bytearray': bytearray, '$range': lambda bounds: range(*bounds),
    '$complex': lambda parts: complex(*map(decode, parts)), '$random': decode_random,
    '$object': lambda content: decode_object(*content),
}


def decode(value):
    if type(value) is list:
        return [decode(item) for item in value]
    if type(value) is not dict:
        return value
    if len(value) == 1:
        (tag, content), = value.items()
        if tag in DECODERS:
            return DECODERS[tag](content)
    return {key: decode(item) for key, item in value.items()}


def restore(state):
    if _load_fault:
        fresh()
    made = _class.__new__(_class)
    made.__dict__.update(decode(state))
    return made


# --- the text of an answer -----------------------------------------------------------------------

def is_row(value):
    return isinstance(value, (list, tuple, set, frozenset)) and not isinstance(value, str)


def items_of(value):
    return sorted(value, key=order_key) if isinstance(value, (set, frozenset)) else list(value)


def flat(value):
    return [leaf for item in items_of(value) for leaf in (flat(item) if is_row(item) else [item])]


def forms(value):
    """The texts in which an answer may be asked for, the likelier first; always as many for the same type."""
    if isinstance(value, str):
        return [value]
    if isinstance(value, bool):
        return ['Yes' if value else 'No', str(value), str(value).lower(), str(int(value)), str(value).upper(),
                'yes' if value else 'no', 'YES' if value else 'NO']
    if isinstance(value, dict):
        return [repr(value), '\n'.join(f'{key}: {item}' for key, item in value.items()),
                ', '.join(f'{key}: {item}' for key, item in value.items()),
                ' '.join(f'{key}={item}' for key, item in value.items()),
                '\n'.join(f'{key} {item}' for key, item in value.items())]
    if not is_row(value):
        return [str(value)]
    row = items_of(value)
    plain = [list(map(list, row)) if row and all(map(is_row, row)) else row]
    lines = [' '.join(map(str, flat(item))) if is_row(item) else str(item) for item in row]
    words = [str(item) for item in flat(value)]
    return [' '.join(words), ', '.join(words), '\n'.join(lines), repr(plain[0]), repr(value), ','.join(words),
            ''.join(words), '\n'.join(', '.join(map(str, flat(item))) if is_row(item) else str(item) for item in row),
            ' '.join('(' + ', '.join(map(str, flat(item))) + ')' if is_row(item) else str(item) for item in row),
            ' -> '.join(words)]


def passing():
    value = getattr(_class, 'passing', 1.0)
    return float(value) if isinstance(value, (int, float)) else 1.0


def number(score):
    """A score as a finite float."""
    if not isinstance(score, (int, float)):
        raise Fault('score_not_number', f'scorer returns a {type(score).__name__}, not a number')
    try:
        value = float(score)
    except OverflowError:
        value = float('inf')
    if value - value != 0:
        raise Fault('score_not_finite', f'scorer returns {value}')
    return value


def judge(env, text):
    """(parsed, score) of a text; score None: malformed."""
    parsed = guarded('_process', env._process, text)
    if parsed is None:
        return None, None
    return parsed, score_of(env, parsed, text)


def read_reference(env, state):
    """(text, score, fault): a text of the stored reference that scores as right, or else the first form's fate."""
    global _form
    if env.ref_answer is None:
        raise Fault('no_reference', '_generate leaves self.ref_answer at None')
    own = guarded('reference_text', env.reference_text)
    texts = [own] if isinstance(own, str) else guarded('the text of the reference', forms, env.ref_answer)
    order = list(range(len(texts)))
    if _form < len(texts):
        order.sort(key=lambda index: index != _form)
    outcomes, tried = {}, set()
    for index in order:
        if texts[index] in tried:
            continue
        tried.add(texts[index])
        try:
            score = judge(restore(state), texts[index])[1]
        except Fault as fault:
            outcomes[index] = (texts[index], None, fault.report)
            continue
        if score is not None and score >= passing() - STABLE:
            _form = index
            return texts[index], score, None
        outcomes[index] = (texts[index], score, None)
    # None is right: report the best that ran.
    ran = [outcome for outcome in outcomes.values() if outcome[2] is None]
    return max(ran or outcomes.values(), key=lambda outcome: -2.0 if outcome[1] is None else outcome[1])


# --- what the engine calls -----------------------------------------------------------------------

def build(seed, level):
    env = fresh()
    generated(env, seed, level)
    prompt = prompt_of(env)
    if type(prompt) is not str:
        raise Fault('prompt_not_text', f'_prompt_generate returns a {type(prompt).__name__}, not a string')
    if not prompt.strip():
        raise Fault('prompt_not_text', '_prompt_generate returns no text')
    if type(getattr(env, '__dict__', None)) is not dict:
        raise Fault('state', 'its instances have no attributes that could be stored')
    return env, prompt, encode(env.__dict__)


def contains_non_finite(value):
    if isinstance(value, float):
        return value - value != 0
    if isinstance(value, dict):
        return any(contains_non_finite(item) for item in value.values())
    return is_row(value) and any(contains_non_finite(item) for item in value)


def make(seed, level):
    """A problem: its prompt, its state, the text of its reference and what that scores."""
    try:
        env, prompt, state = build(seed, level)
        if contains_non_finite(getattr(env, 'ref_answer', None)):
            raise Fault('reference_not_finite', f'self.ref_answer is {env.ref_answer!r}')
        text, score, fault = read_reference(env, state)
        return {'prompt': prompt, 'state': state, 'reference': text, 'score': score, 'reference_fault': fault,
                'solved': score is not None and score >= passing() - STABLE}
    except Fault as fault:
        return fault.report


def score(state, text):
    """The score of a response: a number, or None where it is malformed or cannot be scored."""
    try:
        value = judge(restore(state), text)[1]
        return None if value is None else [value, value >= passing() - STABLE]
    except Fault:
        return None

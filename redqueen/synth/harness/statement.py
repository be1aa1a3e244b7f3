"""Holds an environment's words against its code without running it: the first half of what layer 5 says about the
statement. Trusted code, loaded behind inspector.py; what it reads is not.

A rule speaks only where words and code seem to contradict each other in the plainest form: a number that the words
operate with and the code never mentions, a named bound that the code draws one step beside the words, "even" over a
test for odd. Reading proves nothing, for the same task can be written in too many ways: what a rule says is a remark for
whoever reviews the environment. Numbers of the code that the words lack are suspects at first: inputs.py runs the code
and tells whether the answer depends on them.
"""
import re

WORDS = {word: value for value, word in enumerate(
    'zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen '
    'eighteen nineteen twenty'.split())}
WORDS.update({'thirty': 30, 'forty': 40, 'fifty': 50, 'sixty': 60, 'hundred': 100, 'thousand': 1000, 'million': 10 ** 6,
              'dozen': 12, 'thrice': 3, 'triple': 3, 'third': 3, 'fourth': 4, 'fifth': 5, 'quarter': 4, 'tenth': 10,
              'cube': 3, 'cubes': 3, 'cubed': 3, 'weekday': 7, 'week': 7, 'triples': 3, 'triplets': 3, 'triangle': 3})
# Numbers that need not be said where these words are.
IMPLIED = (
    (r'letter|alphabet|character|word|string|cipher', (25, 26, 64, 65, 90, 96, 97, 122)),
    (r'digit|decimal|palindrom|base', (9, 10, 48, 57)),
    (r'\bbit|binary|byte|xor', (7, 8, 16, 31, 32, 63, 64)),
    (r'hex', (15, 16)),
    (r'hour|clock|minute|second|\btime\b|o\'clock', (7, 12, 24, 30, 59, 60, 360, 720, 1440, 3600, 86400)),
    (r'\bday|week|month|year|date|calendar|leap', (4, 7, 12, 28, 29, 30, 31, 100, 365, 366, 400)),
    (r'angle|degree|turn|rotat|compass|direction', (4, 45, 90, 180, 270, 360)),
    (r'percent|%|average', (100,)),
    (r'neighbo|adjacent|grid|cell|board|maze|king|knight|queen|chess|direction|moves? ', (4, 8, 64)),
    (r'\bdie\b|\bdice\b', (6, 7)),
    (r'\bcards?\b', (4, 13, 52)),
    (r'prime|divisor|factor|composite', (3, 5, 6, 7, 30)),
    (r'polygon|diagonal|triang|tetrahed|vertices|corner', (3, 4, 6, 180)),
    (r'cubes?|cuboid|cubic|surface|volume', (3, 4, 6)),
    (r'roman', (4, 5, 9, 10, 40, 50, 90, 100, 400, 500, 900, 1000)),
    (r'collatz|hailstone', (3,)),
    (r'perimeter|rectang|square', (4,)),
)
DRAWS = frozenset(('randint', 'randrange', 'choice', 'choices', 'sample', 'shuffle', 'uniform', 'getrandbits', 'random',
                   'gauss', 'Random', 'grow', 'triangular', 'betavariate'))
OPERATORS = (ast.Mod, ast.Add, ast.Sub, ast.Mult, ast.FloorDiv, ast.Div, ast.Pow, ast.BitXor, ast.BitAnd)
LARGEST = 10 ** 6  # larger numbers stand for "infinite"
NAME = r'\{[^{}]*\}'


class Words:
    """The texts of a source that its prompts show, as one, in lower case. A placeholder is {name}."""

    def __init__(self, tree, prompts):
        documentation = {id(node.body[0].value) for node in ast.walk(tree)
                         if isinstance(node, (ast.Module, ast.ClassDef, ast.FunctionDef)) and node.body
                         and isinstance(node.body[0], ast.Expr)}
        pieces, inside = [], set()
        for node in ast.walk(tree):
            if isinstance(node, ast.JoinedStr):
                inside.update(id(part) for part in ast.walk(node) if part is not node)
        for node in ast.walk(tree):
            text = None
            if isinstance(node, ast.JoinedStr) and id(node) not in inside:
                text = ''.join(part.value if isinstance(part, ast.Constant) else '{' + placeholder(part) + '}'
                               for part in node.values)
            elif (isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in inside
                  and id(node) not in documentation):
                text = node.value
            if text is not None and shown(text, prompts):
                pieces.append((node.lineno, node.col_offset, text))
        self.sentences = [re.sub(NAME, '{}', text) for *_, text in sorted(pieces) if ' ' in text.strip()]
        text = ' '.join(' '.join(text for *_, text in sorted(pieces)).lower().split())
        self.text = re.sub(r'(?<=\d),(?=\d{3}(?!\d))', '', text)  # 998,244,353 is one number
        self.plain = re.sub(NAME, ' ', self.text)
        self.digits = spelt_out(self.text)  # number words as digits
        self.unnamed = re.sub(NAME, '{}', self.digits)  # the same, with nothing in placeholders
        self.numbers = {int(number) for number in re.findall(r'\d+', re.sub(NAME, ' ', self.digits))}

    def has(self, pattern):
        return re.search(pattern, self.plain) is not None


def placeholder(part):
    if isinstance(part, ast.FormattedValue):
        value = part.value
        return value.attr if isinstance(value, ast.Attribute) else getattr(value, 'id', '')
    return ''


def shown(text, prompts):
    """Whether a constant is a part of the statement: its longest piece between placeholders stands in a prompt."""
    piece = max(re.split(NAME, text.replace('{{', '{').replace('}}', '}')), key=len).strip()
    return len(piece) > 2 and any(piece in prompt for prompt in prompts)


def spelt_out(text):
    return re.sub(r'[a-z]+', lambda match: str(WORDS[match[0]]) if match[0] in WORDS and match[0] != 'one' else match[0],
                  text)


# --- numbers of the code -------------------------------------------------------------------------

def constant(node):
    """The value of an expression of integers alone, or None."""
    if isinstance(node, ast.Constant):
        return node.value if type(node.value) is int else None
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub):
        value = constant(node.operand)
        return None if value is None else -value
    if isinstance(node, ast.BinOp) and isinstance(node.op, (ast.Add, ast.Sub, ast.Mult, ast.Pow)):
        left, right = constant(node.left), constant(node.right)
        if left is None or right is None:
            return None
        if isinstance(node.op, ast.Pow) and not (0 <= right <= 64 and abs(left) < 100):
            return None
        return {ast.Add: lambda: left + right, ast.Sub: lambda: left - right, ast.Mult: lambda: left * right,
                ast.Pow: lambda: left ** right}[type(node.op)]()
    return None


class Numbers:
    """The integers of a source by what they are for."""

    def __init__(self, tree, difficulty):
        self.used = set()  # where the answer is worked out: in no draw, and in no sum with the difficulty
        self.drawn = set()  # bounds of random draws
        self.lengths = set()  # of lists and texts that are written out
        self.operands = []  # (value, 'arithmetic', 'remainder' or 'comparison', node)
        self.cuts = {}  # by symbol ('': none): see cut()
        self.visit(tree, False, difficulty)

    def visit(self, node, is_size, difficulty):
        """`is_size`: within what is drawn at random or grows with the difficulty."""
        if isinstance(node, ast.BinOp) and not is_size:
            is_size = any(isinstance(part, ast.Name) and part.id == difficulty for part in ast.walk(node))
        value = constant(node) if isinstance(node, ast.expr) else None
        if value is not None and not is_size:
            self.used.add(value)
        if isinstance(node, (ast.List, ast.Tuple, ast.Set)):
            self.lengths.add(len(node.elts))
        elif isinstance(node, ast.Dict):
            self.lengths.add(len(node.keys))
        elif isinstance(node, ast.Constant) and isinstance(node.value, str):
            self.lengths.add(len(node.value))
        if isinstance(node, ast.Call) and called(node) in DRAWS:
            for argument in node.args:
                if not any(isinstance(part, ast.Name) and part.id == difficulty for part in ast.walk(argument)):
                    self.note_drawn(argument)
            is_size = True
        if isinstance(node, ast.BinOp) and isinstance(node.op, OPERATORS) and not is_size and value is None:
            self.note_operand(node.left, 'arithmetic')
            self.note_operand(node.right, 'remainder' if isinstance(node.op, ast.Mod) else 'arithmetic')
        if isinstance(node, ast.AugAssign) and isinstance(node.op, OPERATORS) and not is_size:
            self.note_operand(node.value, 'remainder' if isinstance(node.op, ast.Mod) else 'arithmetic')
        if isinstance(node, ast.Call) and called(node) == 'pow' and len(node.args) == 3:
            self.note_operand(node.args[2], 'remainder')
        if isinstance(node, ast.Compare):
            self.note_comparison(node)
        if isinstance(node, ast.Call) and called(node) == 'range' and not is_size:
            for bound in node.args[:2]:
                self.cut(bound, -1)
        for child in ast.iter_child_nodes(node):
            self.visit(child, is_size, difficulty)

    def note_drawn(self, argument):
        for part in ast.walk(argument):
            value = constant(part) if isinstance(part, ast.expr) else None
            if value is not None:
                self.drawn.add(value)

    def note_operand(self, node, kind):
        value = constant(node)
        if value is not None and isinstance(node, ast.Constant):
            self.operands.append((value, kind, node))

    def note_comparison(self, node):
        sides = [node.left, *node.comparators]
        for left, operator, right in zip(sides, node.ops, sides[1:]):
            for side in (left, right):
                self.note_operand(side, 'comparison')
            if isinstance(operator, (ast.Gt, ast.LtE)):
                self.cut(right, 0)
                self.cut(left, -1)
            elif isinstance(operator, (ast.Lt, ast.GtE)):
                self.cut(right, -1)
                self.cut(left, 0)

    def cut(self, node, step):
        """The code tells values up to symbol + at from larger ones."""
        symbol, at = operand(node)
        if at is not None:
            self.cuts.setdefault(symbol, set()).add(at + step)


def called(node):
    return node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, 'id', '')


def operand(node):
    """(symbol, offset) of a number, a name, or a name and a number; offset None: something else."""
    value = constant(node)
    if value is not None:
        return '', value
    if isinstance(node, ast.Name):
        return node.id, 0
    if isinstance(node, ast.Attribute):
        return node.attr, 0
    if isinstance(node, ast.Subscript) and isinstance(node.slice, ast.Constant) and isinstance(node.slice.value, str):
        return node.slice.value, 0
    if isinstance(node, ast.BinOp) and isinstance(node.op, (ast.Add, ast.Sub)):
        (symbol, at), step = operand(node.left), constant(node.right)
        if at is not None and symbol and step is not None:
            return symbol, at + (step if isinstance(node.op, ast.Add) else -step)
    return '', None


# --- rules ---------------------------------------------------------------------------------------

AFTER = r'(?=$|[.,;:?!)]| (?:in|among|and|there|are|is|from|of|that|or|each|but|which|between|within)\b)'
VALUE = r'(\d+|\{[a-z_]\w*\})(?!\.\d|\w)'
# What is said of a bound, and where it cuts: after the bound (0), or before it (-1).
BOUNDS = ((r'(?:above|(?:more|greater|larger|bigger|higher) than|exceed(?:s|ing)?) ' + VALUE, 0),
          (r'(?:below|(?:less|smaller|fewer|lower) than) ' + VALUE, -1),
          (r'(?:numbers?|values?|integers?|elements?|entries|digits|those|primes?|multiples?) (?:that (?:is|are) )?'
           r'(?:of )?at least ' + VALUE + AFTER, -1),
          (r'(?:numbers?|values?|integers?|elements?|entries|digits|those|primes?|multiples?) (?:that (?:is|are) )?'
           r'(?:of )?(?:at most|up to) ' + VALUE + AFTER, 0),
          (r'(?<![<>=])<= ?' + VALUE, 0), (r'(?<![<>=-])>= ?' + VALUE, -1),
          (r'(?<![<>=])< ?(?!=)' + VALUE, -1), (r'(?<![<>=-])> ?(?!=)' + VALUE, 0),
          (VALUE + r' ?<=', -1), (VALUE + r' ?<(?![=<>])', 0))
# What is said of the other operand of an operation.
OPERATIONS = (r'\bmultiples? of (\d+)', r'\bdivisible by (\d+)', r'\b(?:modulo|mod) (\d+)', r'\bdivided by (\d+)',
              r'\bremainders? (?:[^.?!]{0,60}? )?by (\d+)', r'\bother than (\d+)', r'\bplus (\d+)', r'(\d+) plus\b',
              r'\bminus (\d+)', r'(\d+) (?:is |are )?added\b', r'\badd(?:ing|s)? (\d+)', r'\bsubtract(?:ing|s)? (\d+)',
              r'\bmultipl(?:y|ies|ied) (?:[^.?!]{0,30} )?by (\d+)', r'\bpower (?:of )?(\d+)', r'\bequals? (?:to )?(\d+)',
              r'\bends? (?:in|with) (?:the digit )?(\d+)', r'\bevery (\d+)(?:th|rd|st|nd)\b', r'\btimes (\d+)',
              r'(?<![\w^*)] )(?<![\w^*)])(\d+) ?[a-z]\([a-z]')


def near(values, number):
    return any(abs(value) in (number, number - 1, number + 1) for value in values)


def check_operations(words, numbers, features):
    """Words that name an operand which the code does not have."""
    text = words.unnamed
    for pattern in OPERATIONS:
        for match in re.finditer(pattern + r'(?![\d.]*\d|\^|\*\*|e\d)', text):
            value = int(match[1])
            known = numbers.used | numbers.drawn
            by_bits = value == 2 and features.has('BitAnd RShift LShift same_Add same_Mult')
            is_coded = value in known or -value in known or value in derived(numbers.used)
            if value >= 2 and not by_bits and not is_coded:
                yield 'number_not_in_code', f'the statement says "{match[0].strip()}"; the code that works the answer ' \
                    f'out has no {value}'
    for pattern, _ in BOUNDS:
        for match in re.finditer(pattern, text):
            if not match[1].isdigit() or int(match[1]) < 2:
                continue
            value = int(match[1])
            drawn = {number for number in numbers.drawn if abs(number) > 2}
            if not near(numbers.used | numbers.lengths | drawn, value):
                yield 'number_not_in_code', f'the statement says "{match[0].strip()}"; the code tests nothing near ' \
                    f'{value}'


def derived(values):
    """What a text may say of several numbers of the code."""
    few = sorted(value for value in values if 1 < abs(value) <= 1000)[:12]
    made = {a * b for a in few for b in few} | {a + b for a in few for b in few} | {10 ** a for a in few if 0 < a < 12}
    return {value for value in made if value > 9}  # small numbers are sums of others too easily


def check_bounds(words, numbers):
    """A bound with a name that the code draws one step beside the words. Bounds in digits are not compared: "for k > 3"
    may be range(4, n), len(terms) < n after three terms, or a table of three."""
    cuts = {name.lower(): values for name, values in numbers.cuts.items() if name}
    for pattern, place in BOUNDS:
        for match in re.finditer(pattern, words.digits):
            if match[1].isdigit():
                continue
            symbol, wanted, other = match[1][1:-1], place, -1 - place
            if other in cuts.get(symbol, ()) and wanted not in cuts[symbol]:
                yield 'bound_differs', f'the statement says "{match[0].strip()}"; the code puts {symbol} itself on the ' \
                    'other side'


def check_letters(words, tree):
    said = set(re.findall(r"\bletters? ['\"]?([a-z])['\"]?(?![\w'])", re.sub(NAME, '{}', words.text)))
    coded = {node.value.lower() for node in ast.walk(tree) if isinstance(node, ast.Constant)
             and isinstance(node.value, str) and len(node.value) == 1 and node.value.isalpha()}
    texts = ' '.join(node.value.lower() for node in ast.walk(tree) if isinstance(node, ast.Constant)
                     and isinstance(node.value, str) and not shown(node.value.lower(), [words.text]))
    for letter in sorted(said):
        if coded and letter not in coded and letter not in texts.split():
            yield 'wording_differs', f'the statement speaks of the letter "{letter}", the code of ' \
                + ', '.join(f'"{other}"' for other in sorted(coded))


def parities(tree):
    """Which remainders by 2 the code asks for."""
    found = set()
    for node in ast.walk(tree):
        if not (isinstance(node, ast.Compare) and len(node.ops) == 1 and isinstance(node.left, ast.BinOp)):
            continue
        by_two = (isinstance(node.left.op, ast.Mod) and constant(node.left.right) == 2
                  or isinstance(node.left.op, ast.BitAnd) and constant(node.left.right) == 1)
        value = constant(node.comparators[0])
        if by_two and value in (0, 1) and isinstance(node.ops[0], (ast.Eq, ast.NotEq)):
            found.add(value if isinstance(node.ops[0], ast.Eq) else 1 - value)
        elif by_two:
            found.update((0, 1))
    bare = sum(isinstance(node, ast.BinOp) and isinstance(node.op, ast.Mod) and constant(node.right) == 2
               for node in ast.walk(tree))
    compared = sum(isinstance(node, ast.Compare) and isinstance(node.left, ast.BinOp)
                   and isinstance(node.left.op, ast.Mod) and constant(node.left.right) == 2 for node in ast.walk(tree))
    return {0, 1} if bare > compared else found


def orders(tree):
    """'up' and 'down', as far as sorted() and sort() show it; none where the order is made in another way."""
    found = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Slice) and node.step is not None:
            return set()
        if isinstance(node, ast.Call) and called(node) in ('reversed', 'reverse', 'heappush', 'bisect', 'nlargest'):
            return set()
        if isinstance(node, ast.Call) and called(node) in ('sorted', 'sort'):
            words = {item.arg: item.value for item in node.keywords}
            if 'key' in words:
                return set()
            reverse = words.get('reverse')
            if reverse is not None and not isinstance(reverse, ast.Constant):
                return set()
            found.add('down' if reverse is not None and reverse.value else 'up')
    return found


def check_wording(words, tree):
    """Pairs of opposites, where the words know one and the code the other."""
    even, odd = words.has(r'\beven\b'), words.has(r'\bodd\b')
    tested = parities(tree)
    counted = re.search(r'\b(?:even|odd) (?:number|value|integer|element|item|entr|digit|ind|position|place|one)', words.plain)
    if counted and not any(isinstance(node, ast.Constant) and node.value == 2 or isinstance(node, ast.BitAnd)
                           for node in ast.walk(tree)):
        yield 'wording_differs', f'the statement says "{counted[0]}"; nothing in the code tells even from odd'
    if even != odd and len(tested) == 1 and tested != {0 if even else 1}:
        yield 'wording_differs', f'the statement says "{"even" if even else "odd"}"; the code tests for the other'
    up, down = words.has(r'\b(?:ascending|increasing) order'), words.has(r'\b(?:descending|decreasing) order')
    seen = orders(tree)
    if up != down and len(seen) == 1 and seen != {'up' if up else 'down'}:
        yield 'wording_differs', f'the statement asks for {"ascending" if up else "descending"} order; the code sorts ' \
            'the other way'
    large = words.has(r'\b(?:largest|maximum|greatest|maximal|maximi[sz]e|highest|longest|biggest)\b')
    small = words.has(r'\b(?:smallest|minimum|least|minimal|minimi[sz]e|lowest|shortest|fewest)\b')
    calls = {called(node) for node in ast.walk(tree) if isinstance(node, ast.Call)}
    others = calls & {'sorted', 'sort', 'heappop', 'nlargest', 'nsmallest', 'heappush', 'deque', 'popleft'}
    compares = any(isinstance(node, ast.Compare) and isinstance(node.ops[0], (ast.Lt, ast.Gt, ast.LtE, ast.GtE))
                   and all(constant(side) is None for side in (node.left, *node.comparators)) for node in ast.walk(tree))
    if large != small and not others and not compares and {'max', 'min'} & calls in ({'max'}, {'min'}):
        if ('max' in calls) != large:
            yield 'wording_differs', f'the statement asks for the {"largest" if large else "smallest"}; the code has ' \
                f'only {"max" if "max" in calls else "min"}()'


class Features:
    """What kinds of code a source has, apart from what sizes and draws its data."""

    def __init__(self, tree, difficulty):
        self.found = set()
        self.visit(tree, difficulty)

    def visit(self, node, difficulty):
        is_size = isinstance(node, ast.BinOp) and any(isinstance(part, ast.Name) and part.id == difficulty
                                                      for part in ast.walk(node))
        if is_size or (isinstance(node, ast.Call) and called(node) in DRAWS):
            return
        self.found.update(self.names_of(node))
        for child in ast.iter_child_nodes(node):
            self.visit(child, difficulty)

    @staticmethod
    def names_of(node):
        if isinstance(node, ast.Call):
            yield called(node)
        elif isinstance(node, (ast.Import, ast.ImportFrom)):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.Name):
            yield node.id
        elif isinstance(node, (ast.BinOp, ast.AugAssign)):
            yield type(node.op).__name__
            if isinstance(node, ast.BinOp) and ast.dump(node.left) == ast.dump(node.right):
                yield 'same_' + type(node.op).__name__
        elif isinstance(node, (ast.Compare, ast.UnaryOp)):
            yield from (type(item).__name__ for item in getattr(node, 'ops', [getattr(node, 'op', None)]))
        elif isinstance(node, ast.Slice):
            yield 'step' if node.step is not None else 'Slice'
        elif isinstance(node, ast.Constant):
            yield f'constant_{node.value!r}' if isinstance(node.value, int) else 'text'
            if isinstance(node.value, str) and len(node.value) < 11 and set('aeiou') <= set(node.value.lower()):
                yield 'vowels'
        yield type(node).__name__

    def has(self, names):
        return not self.found.isdisjoint(names.split())


SUMS = 'sum Add fsum accumulate reduce prod update most_common total cumsum'
ORDERS = 'sorted sort min max heappush heapify nlargest nsmallest insort bisect bisect_left bisect_right Lt Gt LtE GtE'
# Words, and the kinds of code without any of which nobody works them out.
CONCEPTS = (
    (r'\bsums?\b|\badd(?:ed|ing)? up\b|\brunning totals?\b', SUMS),
    (r'greatest common divisor|\bgcd\b', 'gcd Mod'),
    (r'least common multiple|\blcm\b', 'lcm gcd Mod'),
    (r'\bprimes?\b', 'Mod FloorDiv divmod gcd step is_prime prime primes'),
    (r'\bdivisors?\b|\bdivides\b|\bdivisible\b', 'Mod gcd divmod FloorDiv step'),
    (r'\bremainders?\b|\bmodulo\b', 'Mod pow divmod BitAnd'),
    (r'\bsquares? of (?!the )|\bthe squares of\b|\bsquared\b', 'Pow pow isqrt sqrt hypot dist same_Mult'),
    (r'\bthe doubles? of\b|\bdoubled\b', 'constant_2 same_Add LShift'),
    (r'\babsolute (?:value|difference)', 'abs fabs USub Lt Gt LtE GtE sqrt max'),
    (r'\bdistance between\b', 'abs Sub hypot dist sqrt BitXor heappop deque popleft append len'),
    (r'\b(?:different|distinct) (?:values|letters|numbers|characters|words|digits|nodes)',
     'set frozenset Set SetComp Dict DictComp dict Counter defaultdict NotIn In sorted groupby'),
    (r'\bvowels?\b', 'vowels'),
    (r'\b(?:alphabetical|ascending|descending|increasing|decreasing) order', ORDERS),
    (r'\b(?:largest|smallest|maximum|minimum)\b', ORDERS + ' reduce accumulate deque popleft'),
    (r'\bwithout the letter\b', 'replace NotEq NotIn Eq In translate remove strip'),
    (r'\bmoved to the end\b', 'Slice pop popleft append rotate Mod'),
    (r'\bevery (?:second|2|third|3)\b', 'step Mod enumerate range AugAssign'),
    (r'\bbackwards\b|\breversed?\b|\bin reverse\b', 'step reversed reverse appendleft Sub USub insert'),
    (r'\bexclusive or\b|\bxor\b', 'BitXor xor NotEq'),
    (r'\bproduct of\b', 'Mult prod reduce Pow pow MatMult accumulate'),
    (r'\bdigits? of\b', 'str divmod Mod FloorDiv join'),
    (r'\bin binary\b', 'bin format JoinedStr BitAnd RShift Mod divmod bit_count FloorDiv'),
    (r'\bcapital letters\b|\bupper ?case\b', 'upper capitalize ord chr swapcase title isupper translate'),
    (r'\bneighbours? (?:in|of) \{|\bneighbours? in', 'zip Subscript pairwise Slice enumerate groupby'),
    (r'\bmain diagonal\b|\b(?:first|last) (?:column|row)\b', 'Subscript zip enumerate'),
    (r'\b(?:running|cumulative) (?:totals?|maxim|minim|sum)', 'accumulate Slice For While append max min'),
)


def check_concepts(words, features):
    """Words whose working-out is nowhere in the code."""
    for pattern, kinds in CONCEPTS:
        match = re.search(pattern, words.text)
        if match and not features.has(kinds):
            yield 'wording_differs', f'the statement says "{match[0].strip()}"; nothing in the code works that out'


# --- what is kept, asked and named -----------------------------------------------------------------

# Words for a condition on numbers, and what they keep: (kind, number).
CONDITIONS = ((r'\b(?:above|(?:more|greater|larger|bigger|higher) than) (\d+)\b', 'above'),
              (r'\b(?:below|(?:less|smaller|fewer|lower) than) (\d+)\b', 'below'),
              (r'\b(?:other than|different from) (\d+)\b', 'not'),
              (r'\b(?:multiples? of|divisible by) (\d+)\b', 'multiple'),
              (r'\beven\b()', 'even'), (r'\bodd\b()', 'odd'))
# Any word that may stand for a condition.
CONDITIONAL = (r'\b(?:above|below|over|under|more|greater|larger|bigger|higher|less|smaller|fewer|lower|least|most|up to|other|'
               r'different|distinct|except|but|not|without|only|unless|if|when|where|whose|which|that|such|between|within|'
               r'from|exceed\w*|positive|negative|zero|non-?zero|even|odd|multiples?|divisible|divid\w*|remainder|modulo|'
               r'equal\w*|same|match\w*|satisf\w*|at|beyond|past|after|before|those|until|while|skip\w*|ignor\w*)\b|[<>≤≥≠=]')


def kept_by(test):
    """(kind, number) of a condition that compares one number with a constant, or None."""
    if not (isinstance(test, ast.Compare) and len(test.ops) == 1):
        return None
    left, operator, value = test.left, test.ops[0], constant(test.comparators[0])
    if value is None:
        return None
    if isinstance(left, ast.Name):
        steps = {ast.Gt: ('above', 0), ast.GtE: ('above', -1), ast.Lt: ('below', 0), ast.LtE: ('below', 1),
                 ast.NotEq: ('not', 0)}
        kind, step = steps.get(type(operator), (None, 0))
        return (kind, value + step) if kind else None
    divisor = constant(left.right) if isinstance(left, ast.BinOp) and isinstance(left.op, ast.Mod) else None
    if divisor == 2 and value in (0, 1) and isinstance(operator, (ast.Eq, ast.NotEq)):
        return ('even' if (value == 0) == isinstance(operator, ast.Eq) else 'odd', None)
    if divisor is not None and value == 0 and isinstance(operator, ast.Eq):
        return ('multiple', divisor)
    return None


def working(tree):
    """The nodes of a source, without those of the methods that show problems and judge answers."""
    judges = {id(part) for node in ast.walk(tree) if isinstance(node, ast.FunctionDef)
              and node.name in ('_process', 'scorer', '_prompt_generate') for part in ast.walk(node)}
    return [node for node in ast.walk(tree) if id(node) not in judges]


OPPOSITES = {'even': 'odd', 'odd': 'even'}


def otherwise(condition):
    """The opposite of what kept_by() returns; None: it has none of that form."""
    kind, value = condition
    if kind in OPPOSITES:
        return OPPOSITES[kind], value
    return {'above': ('below', value + 1), 'below': ('above', value - 1)}.get(kind) if value is not None else None


def conditions(tree):
    """The conditions under which loops and comprehensions take an item, each as the set of readings that it allows: an
    "if" in a loop may take an item or pass over it. Empty among them: a condition of another form."""
    found = []
    for node in working(tree):
        if isinstance(node, ast.comprehension):
            found.extend(frozenset({kept_by(test)} - {None}) for test in node.ifs)
        elif isinstance(node, (ast.For, ast.While)):
            tests = [kept_by(item.test) for item in ast.walk(node) if isinstance(item, ast.If)]
            found.extend(frozenset({test, otherwise(test)} - {None}) if test else frozenset() for test in tests)
        elif isinstance(node, (ast.IfExp, ast.BoolOp)):
            found.append(frozenset())
    return found


def chooses(tree):
    """Whether the code can treat one number in another way than the next."""
    for node in working(tree):
        if isinstance(node, (ast.Compare, ast.If, ast.IfExp, ast.While, ast.BoolOp, ast.BitAnd, ast.FloorDiv, ast.Match)):
            return True
        if isinstance(node, ast.Slice) and node.step is not None:
            return True
        if isinstance(node, ast.Call) and (called(node) in ('filter', 'takewhile', 'dropwhile', 'compress', 'choice', 'sample')
                                           or called(node) in ('range', 'randrange') and len(node.args) == 3):
            return True
        if isinstance(node, (ast.BinOp, ast.AugAssign)) and isinstance(node.op, (ast.Mod, ast.Mult)):
            sides = (node.left, node.right) if isinstance(node, ast.BinOp) else (node.value,)
            if any(constant(side) == 2 for side in sides):  # x % 2 counts the odd ones, 2 * x are even
                return True
    return False


def check_conditions(words, tree):
    """The code keeps some of the numbers; the statement keeps others, or all."""
    coded = conditions(tree)
    if len(coded) > 1 or frozenset() in coded:
        return
    text = words.unnamed
    said = [(name, int(match[1]) if match[1] else None) for pattern, name in CONDITIONS
            for match in re.finditer(pattern, text)]
    said = [('even', None) if item == ('multiple', 2) else item for item in said]
    if not coded:
        of_numbers = re.search(r'\b(?:even|odd) numbers?\b|\bnumbers? (?:above|below|other than) \d', text)
        if len(said) == 1 and of_numbers and not chooses(tree):
            yield 'wording_differs', f'the statement says "{of_numbers[0]}"; the code takes all alike'
        return
    kind, value = min(coded[0], key=str)
    plain = re.sub(r'\b(?:different|distinct) (?=values|letters|numbers|digits|characters)', '', words.plain)
    if not said and re.search(CONDITIONAL, plain) is None:
        yield 'wording_differs', f'the code takes only some of the numbers ({kind}{"" if value is None else f" {value}"}); ' \
            'the statement names no condition'
    elif len(said) == 1 and said[0] not in coded[0]:
        name, number = said[0]
        yield 'wording_differs', f'the statement says "{name}{"" if number is None else f" {number}"}"; the code takes ' \
            f'numbers by "{kind}{"" if value is None else f" {value}"}"'


def check_operands(words, tree, difficulty):
    """"plus 2", "modulo 7": the code adds, or divides by, other numbers alone."""
    added, divisors = set(), set()
    for node in ast.walk(tree):
        if isinstance(node, (ast.BinOp, ast.AugAssign)) and isinstance(node.op, (ast.Add, ast.Sub)):
            sides = (node.left, node.right) if isinstance(node, ast.BinOp) else (node.value,)
            if not any(isinstance(part, ast.Name) and part.id == difficulty for part in ast.walk(node)):
                added.update(abs(constant(side)) for side in sides if constant(side) is not None)
        elif isinstance(node, (ast.BinOp, ast.AugAssign)) and isinstance(node.op, ast.Mod):
            divisors.add(constant(node.right if isinstance(node, ast.BinOp) else node.value))
        elif isinstance(node, ast.Call) and called(node) == 'pow' and len(node.args) == 3:
            divisors.add(constant(node.args[2]))
    text = words.unnamed
    for match in re.finditer(r'(\d+) plus each\b|(\d+) (?:is |are )?added to each\b', text):
        value = int(match[1] or match[2])
        if added and value not in added:
            yield 'wording_differs', f'the statement says "{match[0]}"; the code adds {min(added)}'
    for match in re.finditer(r'\b(?:modulo|remainders? by) (\d+)(?![\d^*]| ?\^)', text):
        if divisors and None not in divisors and int(match[1]) not in divisors:
            yield 'wording_differs', f'the statement says "{match[0]}"; the code divides by {min(divisors)}'


EXTREMES = frozenset(('max', 'min', 'sorted', 'sort', 'heappop', 'heappush', 'heapify', 'nlargest', 'nsmallest', 'deque',
                      'popleft', 'append', 'accumulate', 'reduce', 'pop'))


def check_task(words, tree):
    """What is to be found: a count or a sum, an extreme or a sum."""
    calls = [node for node in ast.walk(tree) if isinstance(node, ast.Call)]
    names = {called(node) for node in calls}
    if words.has(r'\bhow (?:many|often)\b') and not words.has(r'\b(?:sums?|totals?|altogether|in all|add\w*|combined)\b'):
        sums = [node.args[0] for node in calls if called(node) == 'sum' and node.args]
        plain = [part for part in sums if isinstance(part, (ast.ListComp, ast.GeneratorExp))
                 and isinstance(part.elt, ast.Name) and isinstance(part.generators[0].target, ast.Name)
                 and part.elt.id == part.generators[0].target.id]
        if plain and not names & {'len', 'count', 'Counter', 'bit_count'}:
            yield 'wording_differs', 'the statement asks how many; the code adds the numbers themselves'
    if words.has(r'\b(?:largest|smallest|greatest|highest|lowest)\b(?! (?:power|degree|common))') and not names & EXTREMES:
        variable = any(isinstance(node, ast.Compare) and any(constant(side) is None for side in node.comparators)
                       and isinstance(node.ops[0], (ast.Lt, ast.Gt, ast.LtE, ast.GtE)) for node in ast.walk(tree))
        loops = any(isinstance(node, (ast.For, ast.While)) for node in ast.walk(tree))
        if loops and not variable and any(isinstance(node, ast.AugAssign) for node in ast.walk(tree)):
            yield 'wording_differs', 'the statement asks for an extreme; the code compares no two numbers'


# Kinds of code that a statement names, or asks for something else: what shows them, and words for them.
def letter_counts(node):
    return (isinstance(node, ast.Call) and called(node) == 'count' and len(node.args) == 1
            and isinstance(node.args[0], ast.Constant) and isinstance(node.args[0].value, str)
            and len(node.args[0].value) == 1 and node.args[0].value.isalpha())


def vowel_tests(node):
    return (isinstance(node, ast.Compare) and isinstance(node.ops[0], (ast.In, ast.NotIn))
            and isinstance(node.comparators[0], ast.Constant) and isinstance(node.comparators[0].value, str)
            and node.comparators[0].value.lower() in ('aeiou', 'aeiouy'))


def digit_loops(node):
    return (isinstance(node, ast.comprehension) and isinstance(node.iter, ast.Call) and called(node.iter) == 'str')


def exclusive_ors(node):
    return isinstance(node, (ast.BinOp, ast.AugAssign)) and isinstance(node.op, ast.BitXor)


NAMED = ((letter_counts, r'letter|occur|often|how many|times|count|number of|appear', 'counts a letter'),
         (vowel_tests, r'vowel|consonant|\ba, e\b|aeiou', 'tests for vowels'),
         (digit_loops, r'digit|decimal|palindrom|figure|revers|backward|happy|armstrong|narciss|harshad|concat|lucky|read|'
                       r'written|spell|binary|string|character|symbol', 'goes through the digits of a number'),
         (exclusive_ors, r'exclusive|xor|nim|parity|bit|\^|toggle|flip|switch|gray|lamp|light|hash|checksum|code|cipher|'
                         r'crypt|mask|hamming|stone|pile|heap|missing|once|single', 'takes an exclusive or'))
# A sentence of these words alone asks for nothing.
EMPTY = frozenset("""a all an and answer are at be by calculate compute do does each evaluate exactly find following for get give
given has have here how i in integer into is it just list me no nothing number numbers of on one only or out please print report
result return say separate separated single solve spaces tell the them then there these this to value values what whole with
work write you your""".split())


def check_named(words, tree, prompts):
    for shows, names, what in NAMED:
        found = [node for node in ast.walk(tree) if shows(node)]
        if shows is letter_counts:  # "U raises y by 1" speaks of the letter
            found = [node for node in found if not words.has(rf'\b{node.args[0].value.lower()}\b')]
        if found and not words.has(names):
            yield 'wording_differs', f'the code {what}; the statement does not speak of it'
    if all(word in EMPTY for word in re.findall(r'[^\W\d_]+', words.plain)) and not any(
            re.search(r'[-+*/^%=<>!|&~√(]', re.sub(r'(?<![\w)])-(?=\d)', '', prompt)) for prompt in prompts):
        yield 'wording_differs', 'the statement does not say what to work out'


EXAMPLE = (r'[^.?!]*\b(?:example|e\.g\.|for instance|such as|form|format|like|if the answer|numbered|counted|indexed)\b'
           r'[^.?!]*')


def check_numbers(words, numbers, features):
    """A number in the words that is nowhere in the code. Format examples and numbers in names do not count."""
    text = re.sub(NAME, '{}', re.sub(EXAMPLE, ' ', re.sub(r'`[^`]*`', ' ', words.text)))
    text = re.sub(r'(?:\d+, )+(?=\.\.\.|…|\\l?dots)', ' ', text)  # 1, 2, 3, ... says how it goes on
    known, bounds = numbers.used | numbers.drawn, numbers.drawn | numbers.cuts.get('', set())
    for match in re.finditer(r'(?<![\w.{}^*/:;=~-])(\d+)(?![\w.^*/:;~%\x27-]|\.\d| ?(?:by|x|×) ?\d)', text):
        value = int(match[1])
        if value < 3 or value >= LARGEST or value in known | derived(known) | numbers.lengths or near(bounds, value):
            continue
        if any(value in values and words.has(pattern) for pattern, values in IMPLIED):
            continue
        if 32 <= value < 127 and features.has('ord chr encode'):
            continue  # the code of a letter
        around = text[max(0, match.start() - 12):match.end() + 12].strip()
        yield 'number_not_in_code', f'the statement says "{around}"; {value} is nowhere in the code'


def is_stated(value, kind, words):
    size = abs(value)
    if size in words.numbers or size in derived(words.numbers):
        return True
    if kind == 'comparison' and near(words.numbers, size):
        return True
    return any(size in values and words.has(pattern) for pattern, values in IMPLIED)


def suspects(words, numbers, source):
    """Operands of the code that no word accounts for, as places in the source: (begin, end, value, line), in bytes."""
    lines = source.encode('utf-8', 'replace').split(b'\n')
    starts = [0]
    for line in lines:
        starts.append(starts[-1] + len(line) + 1)
    found = {}
    for value, kind, node in numbers.operands:
        if not 3 <= abs(value) < LARGEST or is_stated(value, kind, words):
            continue
        begin, end = starts[node.lineno - 1] + node.col_offset, starts[node.end_lineno - 1] + node.end_col_offset
        text = source.encode('utf-8', 'replace')[begin:end]
        if text.isdigit() and int(text) == value:
            found[begin] = [begin, end, value, node.lineno]
    return [found[begin] for begin in sorted(found)][:24]


ASKS = (r'\b(?:round(?:ed|ing)?|answer|give|report|output|write|print|express|state|return|respond|reply|nearest|suffice|'
        r'accura\w*|precis\w*|correct|compute|calculate|find)\b')


def decimals(words):
    """How many decimals the statement asks for; None: it does not say. Decimals of the data are of no account."""
    for sentence in re.split(r'[.?!;](?:\s|$)', words.digits):
        match = re.search(r'(\d+) decimals?\b|(\d+) (?:decimal )?(?:places|digits after)', sentence)
        if match and re.search(ASKS, sentence):
            return int(match[1] or match[2])
    for word, places in (('tenth', 1), ('hundredth', 2), ('thousandth', 3)):
        if words.has(rf'nearest {word}\b'):
            return places
    return None


ONCE = (r'at most once|only once|no more than once|each once|exactly once|without repe(?:tition|ats|ating)|'
        r'not (?:be )?repeat|no repe|'
        r'\bdistinct (?:ind|pos|num|item|elem|node|vert|val)|\bdifferent (?:ind|pos|item|elem|node|vert)|'
        r'(?:not|never) (?:be )?(?:used|chosen|taken|picked|selected|visited) (?:twice|again|more than once)')


def names_of(tree):
    """The words that the code's names are made of, in lower case: a statement may well use them. The class's own name is
    no evidence, for it is made of the statement's words."""
    names = {getattr(node, field) for node in ast.walk(tree) for field in ('id', 'attr', 'arg', 'name')
             if isinstance(getattr(node, field, None), str) and not isinstance(node, ast.ClassDef)}
    return sorted({part.lower() for name in names for part in re.findall(r'[A-Za-z][a-z]*', name)})


MOST_REMARKS = 12


def read_statement(source, prompts):
    """{'remarks': [[fault, message], …], 'suspects', 'decimals', 'once', 'sentences', 'names'}: what the words seem to say
    against the code, what running has to tell, and, last, what spelling.h reads."""
    tree = ast.parse(source)
    words = Words(tree, prompts)
    generate = [node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef) and node.name == '_generate']
    arguments = generate[-1].args.args if generate else []
    difficulty = arguments[2].arg if len(arguments) > 2 else ''
    numbers = Numbers(tree, difficulty)
    features = Features(tree, difficulty)
    found = (*check_operations(words, numbers, features), *check_bounds(words, numbers), *check_letters(words, tree),
             *check_wording(words, tree), *check_concepts(words, features), *check_conditions(words, tree),
             *check_operands(words, tree, difficulty), *check_task(words, tree), *check_named(words, tree, prompts),
             *check_numbers(words, numbers, features))
    return {'remarks': [list(remark) for remark in dict.fromkeys(found)][:MOST_REMARKS],
            'suspects': suspects(words, numbers, source), 'decimals': decimals(words), 'once': words.has(ONCE),
            'sentences': words.sentences, 'names': names_of(tree)}

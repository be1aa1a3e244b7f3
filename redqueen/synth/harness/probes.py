"""What layer 5 of validation asks of an environment that harness.py hosts. It reports; the engine decides."""
from itertools import combinations_with_replacement


def announce(*words):
    """What stands here when the layer's time is up tells where it was."""
    print('@redqueen', *words, flush=True)


FAR = 987654321


def is_integer(value):
    return isinstance(value, int) and not isinstance(value, bool)


def is_real(value):
    return isinstance(value, float)


def integer_changes(value):
    yield 'plus_one', value + 1
    yield 'minus_one', value - 1
    yield 'far', value + FAR + 8 * abs(value)
    if value:
        yield 'negated', -value


def real_changes(value):
    step = 1.0 + 0.1 * abs(value)
    yield 'plus_step', value + step
    yield 'minus_step', value - step
    yield 'far', value + FAR + 8 * abs(value)
    if abs(value) > 1e-3:
        yield 'negated', -value


def string_changes(text):
    words = text.split()
    numbers = [index for index, word in enumerate(words) if word.lstrip('+-').isdigit() and word.isascii()]
    if numbers and len(numbers) == len(words):  # numbers in disguise
        numeric = [int(word) for word in words]
        for kind, changed in integer_changes(numeric[0]) if len(words) == 1 else list_changes(numeric):
            yield kind, ' '.join(map(str, changed)) if isinstance(changed, list) else str(changed)
        return
    if text:
        yield 'edited', ('b' if text[0] == 'a' else 'a') + text[1:]
        yield 'edited_end', text[:-1] + ('y' if text[-1] == 'x' else 'x')
        yield 'dropped', text[:-1]
        if len(set(text)) > 1:
            yield 'swapped', text[::-1]
    yield 'added', text + 'q'
    yield 'far', 'zebra' + text


def leaf_changes(value):
    if is_integer(value):
        return integer_changes(value)
    if is_real(value):
        return real_changes(value)
    if isinstance(value, str):
        return string_changes(value)
    if isinstance(value, bool):
        return iter([('flipped', not value)])
    if isinstance(value, (list, tuple)):
        return list_changes(value)
    return iter(())


def list_changes(value):
    """Changes of one element at each end and in the middle, and of the length."""
    rebuild = type(value) if type(value) in (list, tuple) else list
    items = list(value)
    for name, place in (('first', 0), ('middle', len(items) // 2), ('last', len(items) - 1)):
        if not items or (name == 'middle' and len(items) < 3) or (name == 'last' and len(items) < 2):
            continue
        for kind, changed in leaf_changes(items[place]):
            if kind in ('plus_one', 'minus_one', 'plus_step', 'minus_step', 'far', 'edited', 'flipped', 'dropped'):
                yield f'{name}_{kind}', rebuild(items[:place] + [changed] + items[place + 1:])
    if items:
        yield 'dropped', rebuild(items[:-1])
        yield 'dropped_first', rebuild(items[1:])
        yield 'duplicated', rebuild(items + items[-1:])
        extra = items[-1]
        yield 'added', rebuild(items + [FAR if is_integer(extra) else extra])
        if items != items[::-1]:
            yield 'swapped', rebuild(items[::-1])
    else:
        yield 'added', rebuild([FAR])


def set_changes(value):
    items = sorted(value, key=order_key)
    for kind, changed in list_changes(items):
        if kind not in ('swapped', 'duplicated'):
            yield kind, type(value)(changed) if all(not is_row(item) for item in changed) else set()


def dict_changes(value):
    for key in list(value)[:2]:
        for kind, changed in leaf_changes(value[key]):
            if kind in ('plus_one', 'minus_one', 'plus_step', 'minus_step', 'edited', 'flipped', 'far'):
                yield f'element_{kind}', {**value, key: changed}
        yield 'dropped', {other: item for other, item in value.items() if other != key}


def changes(value):
    if isinstance(value, (set, frozenset)):
        return set_changes(value)
    if isinstance(value, dict):
        return dict_changes(value)
    return leaf_changes(value)


def in_form_of(value, changed, text):
    """The text of a changed answer, in the form in which the reference has the text `text`."""
    original = forms(value)
    if text not in original:
        return None  # the environment's own form (reference_text)
    options = forms(changed)
    place = original.index(text)
    return options[place] if place < len(options) else None


def text_changes(text):
    """Changes of every number in a text of a form of its own: the first, then the last."""
    places, start = [], None
    for index, letter in enumerate(text + ' '):
        if letter.isdigit() and letter.isascii():
            start = index if start is None else start
        elif start is not None:
            places.append((start, index))
            start = None
    for begin, end in places[:1] + places[1:][-1:]:
        number_here = int(text[begin:end])
        for kind, changed in (('element_plus_one', number_here + 1), ('element_far', number_here + FAR)):
            yield kind, text[:begin] + str(changed) + text[end:]
    if len(places) > 1:
        yield 'dropped', text[:places[-1][0]] + text[places[-1][1]:]
    if not places:
        yield from string_changes(text)


def perturbed(env, text):
    seen = {text}
    value = env.ref_answer
    produced = [(kind, in_form_of(value, changed, text)) for kind, changed in changes(value)]
    if all(item is None for _, item in produced):
        produced = list(text_changes(text))
    for kind, item in produced:
        if item is not None and item not in seen:
            seen.add(item)
            yield kind, item


LONG_JUNK = 'lorem ' * 3000
EMPTY = (('empty', ''), ('blank', '   \n '), ('empty_list', '[]'), ('empty_dict', '{}'))
MALFORMED = (('word', 'banana'), ('signs', '?!;:'), ('nan', 'nan'), ('infinity', 'inf'), ('minus_infinity', '-inf'),
             ('overflow', '1e999'), ('none', 'None'), ('null', 'null'), ('tags', '<answer></answer>'),
             ('backslash', '\\boxed{}'), ('words', 'I do not know.'), ('non_ascii', '\u03c0\u00e9\u4e2d'),
             ('nul', '\0'), ('long_junk', LONG_JUNK))
CONSTANT = (('zero', '0'), ('one', '1'), ('minus_one', '-1'))


def wrong_types(value):
    """Texts of another type that do not state the answer."""
    if is_integer(value) or is_real(value):
        low = int(value) if value - value == 0 else 0
        yield 'list_for_number', f'[{low + 11}, {low + 13}]'
        yield 'dict_for_number', "{'a': %d}" % (low + 17)
        yield 'pair_for_number', f'({low + 19}, {low + 23})'
    elif isinstance(value, (list, tuple, set, frozenset, dict)):
        yield 'number_for_list', str(FAR)
        yield 'word_for_list', 'Yes'
        yield 'nested_for_list', f'[[[{FAR}]]]'
    elif isinstance(value, str) and not value.strip().isdigit():
        yield 'number_for_text', str(FAR)
        yield 'list_for_text', f'[{FAR}, {FAR}]'


def data_of(prompt):
    """The longest run of integers in a prompt: its data, repeated as an answer."""
    best, run = [], []
    for word in prompt.replace(',', ' ').replace('[', ' ').replace(']', ' ').split():
        if word.lstrip('-').isdigit() and word.isascii():
            run.append(word)
            continue
        best, run = max(best, run, key=len), []
    return max(best, run, key=len)


def same(left, right):
    try:
        return bool(left == right)
    except BaseException:
        return False


def tried(state, reference, group, kind, text):
    """One line of the probe table."""
    row = {'group': group, 'kind': kind, 'text': text if len(text) <= 80 else text[:77] + '...', 'score': None,
           'solved': False, 'same': False}
    try:
        parsed, value = judge(restore(state), text)
        row.update(score=value, solved=value is not None and value >= passing() - STABLE,
                   same=parsed is not None and same(parsed, reference))
    except Fault as fault:
        row['fault'] = fault.report['message'][:120]
        row['code'] = fault.report['fault']
    return row


def masked(state, twins):
    """(prompt, texts of the reference) with the stored reference, and what always equals it, replaced by something
    else of the same form."""
    env = restore(state)
    for path in twins:
        owner = env.__dict__ if len(path) == 1 else env.__dict__[path[0]]
        owner[path[-1]] = mask(owner[path[-1]])
    try:
        return prompt_of(env), forms(mask(restore(state).ref_answer))
    except Fault:
        return '', []


def mask(value):
    if isinstance(value, bool):
        return not value
    if isinstance(value, (int, float)):
        return type(value)(value + 7919)
    if isinstance(value, str):
        return ''.join('q' if letter.isalpha() and letter != 'q' else '7' if letter.isdigit() and letter != '7' else
                       letter for letter in value)
    if isinstance(value, (list, tuple)):
        return type(value)([mask(item) for item in value])
    if isinstance(value, (set, frozenset)):
        return type(value)(mask(item) for item in value)
    if isinstance(value, dict):
        return {key: mask(item) for key, item in value.items()}
    return value


def paths_of(env):
    for name, value in env.__dict__.items():
        yield (name,), value
        if type(value) is dict:
            for key, item in value.items():
                yield (name, key), item


def twins_of(envs):
    """Where every instance keeps a copy of its reference: attributes, and entries of dictionaries on self."""
    common = None
    for env in envs:
        here = {path for path, value in paths_of(env)
                if type(value) is type(env.ref_answer) and same(value, env.ref_answer)}
        common = here if common is None else common & here
    return sorted(common or {('ref_answer',)})


def unique(texts):
    return list(dict.fromkeys(texts))


def rounded(value, places):
    """A value with all its floats rounded; (value, whether there was one)."""
    if is_real(value):
        return round(value, places), True
    if isinstance(value, (list, tuple)):
        parts = [rounded(item, places) for item in value]
        return type(value)([part for part, _ in parts]), any(found for _, found in parts)
    return value, False


def rounded_texts(value, places, text):
    """The reference with as many decimals as the statement asks for, or with six where it does not say."""
    if not isinstance(value, (float, list, tuple)):
        return
    short, found = rounded(value, 6 if places is None else places)
    if not found:
        return
    item = in_form_of(value, short, text)
    if item is not None:
        yield 'stated' if places is not None else 'six', item
    if is_real(value) and places is not None and abs(value) < 1e15:
        yield 'stated', f'{value:.{places}f}'


LONGEST_REPEATED = 4
MOST_REPEATED = 150


def is_right(state, text):
    try:
        score_here = judge(restore(state), text)[1]
    except Fault:
        return False
    return score_here is not None and score_here >= passing() - STABLE


def repeated_variants(value):
    """Lists of the reference's length that name something twice: one place taken over from another, or to and fro."""
    for i in range(min(len(value), 12)):
        for other in value[:12]:
            if other != value[i]:
                yield [*value[:i], other, *value[i + 1:]]
    if len(value) > 2:
        for left, right in zip(value[:12], value[1:12]):
            yield [left if i % 2 == 0 else right for i in range(len(value))]


def repeated_choices(env, state, text):
    """Answers that are right because they name something twice: where each thing counts once, a way to cheat. One that
    is right without the repetition, too, gains nothing by it."""

    def cheats(choice, item):
        once = in_form_of(value, type(value)(dict.fromkeys(choice)), text)
        return is_right(state, item) and not (once is not None and is_right(state, once))

    value = env.ref_answer
    if not isinstance(value, (list, tuple)) or not value or not all(map(is_integer, value)):
        return
    if len(set(value)) < len(value):  # a round trip, say: the words mean something else
        return
    for choice in repeated_variants(value):
        item = in_form_of(value, type(value)(choice), text)
        if item is not None and len(set(choice)) < len(choice) and cheats(choice, item):
            yield item
            return
    named = sorted(set(value) | set(range(min(*value, 1), min(max(value), 12) + 1)))[:12]
    tried_already = 0
    for length in range(2, LONGEST_REPEATED + 1):
        for choice in combinations_with_replacement(named, length):
            if len(set(choice)) == len(choice):
                continue
            tried_already += 1
            if tried_already > MOST_REPEATED:
                return
            item = in_form_of(value, type(value)(choice), text)
            if item is None:
                return
            if cheats(choice, item):
                yield item
                return


def probe_one(problem, others, twins, statement):
    state, text = problem['state'], problem['reference']
    env = restore(state)
    reference = guarded('_process', env._process, text)
    value = env.ref_answer
    rows = [tried(state, reference, 'reference', 'reference', text)]
    rows += [tried(state, reference, 'perturbed', kind, item) for kind, item in perturbed(env, text)]
    rows += [tried(state, reference, 'foreign', 'foreign', item) for item in others if item != text]
    rows += [tried(state, reference, 'empty', kind, item) for kind, item in EMPTY]
    rows += [tried(state, reference, 'malformed', kind, item) for kind, item in MALFORMED]
    rows += [tried(state, reference, 'type', kind, item) for kind, item in wrong_types(value)]
    rows.append(tried(state, reference, 'prompt', 'prompt', problem['prompt']))
    data = data_of(problem['prompt'])
    if len(data) > 2:
        rows.append(tried(state, reference, 'data', 'data', ' '.join(data)))
    if is_integer(value):
        rows.append(tried(state, reference, 'fraction', 'fraction', f'{value}.5'))
        rows.append(tried(state, reference, 'huge', 'huge', '9' * 5000))
        many = [str(value + step) for step in (-3, 5, 0, 4, -2)]
        rows.append(tried(state, reference, 'shotgun', 'shotgun', ' '.join(many)))
    elif isinstance(value, str) and len(unique(others)) > 1 and 0 < len(text) < 100:
        rest = [item for item in unique(others) if item != text][:4]
        rows.append(tried(state, reference, 'shotgun', 'shotgun', ' '.join(rest + [text] + rest)))
    rows += [tried(state, reference, 'constant', kind, item) for kind, item in CONSTANT]
    rows += [tried(state, reference, 'rounded', kind, item)
             for kind, item in rounded_texts(value, statement['decimals'], text)]
    if statement['once']:
        rows += [tried(state, reference, 'repeated', 'repeated', item) for item in repeated_choices(env, state, text)]
    again = tried(state, reference, 'reference', 'again', text)
    rows.append(again)
    masked_prompt, masked_texts = masked(state, twins)
    return {'value': repr(encode(value))[:2000], 'texts': forms(value) + [text], 'masked_texts': masked_texts,
            'masked_prompt': masked_prompt, 'rows': rows}


def probe(problems, statement):
    """Layer 5: the table of probes of every problem. `statement`: 'decimals' and 'once' as statement.py read them."""
    tables = []
    try:
        twins = twins_of([restore(problem['state']) for problem in problems])
        for index, problem in enumerate(problems):
            announce(problem['level'], problem['seed'])
            others = [other['reference'] for other in problems[index + 1:] + problems[:index]]
            tables.append(probe_one(problem, others[:8], twins, statement))
    except Fault as fault:
        return fault.report
    return {'tables': tables, 'twins': ['.'.join(map(str, path)) for path in twins]}

"""What an answer depends on, by changing one input at a time: the second half of what layer 5 says about a statement.

A random draw, a number of the code or a value on self is changed; then the problem is made anew. Where the prompt stays
what it was and the new answer is wrong for the old problem, the prompt does not say all that the answer depends on.
"""
import random as random_module
from random import Random as PlainRandom

MOST_DRAWS = 24  # of one problem
_tweak = [-1, 0]  # which draw is changed, and how many there were


class TweakedRandom(PlainRandom):
    """Changes one draw of all that are made, and no other."""

    def _randbelow(self, n):
        value = super()._randbelow(n)
        return (value + 1) % n if turn() else value

    def random(self):
        value = super().random()
        return (value + 0.37) % 1.0 if turn() else value


class ReversingRandom(PlainRandom):
    """Draws the same things, and hands what it shuffles or samples out in the opposite order."""

    def shuffle(self, x):
        super().shuffle(x)
        x.reverse()

    def sample(self, population, k, *, counts=None):
        return super().sample(population, k, counts=counts)[::-1]


def turn():
    _tweak[1] += 1
    return _tweak[1] - 1 == _tweak[0]


def loaded(source, random_class=PlainRandom):
    """Loads another text of the environment in place of the one that is hosted; returns what put_back() needs."""
    global _class, _load_fault, _namespace
    kept = (_class, _load_fault, _namespace, random_module.Random)
    _namespace, _load_fault = {}, None
    random_module.Random = random_class
    boot(_sources[0], source)
    return kept


def put_back(kept):
    global _class, _load_fault, _namespace
    _class, _load_fault, _namespace, random_module.Random = kept


def problem_of(seed, level):
    """(prompt, text of the reference) as the environment that is loaded makes them; None if it does not."""
    try:
        env, prompt, state = build(seed, level)
        text, score, fault = read_reference(env, state)
    except Fault:
        return None
    return None if fault or score is None else (prompt, text)


def differs(problem, other):
    """Whether `other` = (prompt, reference) has the prompt of `problem` and an answer that is wrong for it."""
    if other is None or other[0] != problem['prompt'] or other[1] == problem['reference']:
        return False
    return is_wrong(problem, other[1])


def is_wrong(problem, text):
    try:
        score = judge(restore(problem['state']), text)[1]
    except Fault:
        return False
    return score is None or score < passing() - STABLE


def tweaked_draws(problem):
    """Another answer to a problem, from one random draw that moves the answer and leaves the prompt; None: there is
    none among the first draws."""
    index, count, others = 0, 1, []
    kept = loaded(_sources[1], TweakedRandom)
    try:
        while index < min(count, MOST_DRAWS):
            _tweak[:] = [index, 0]
            others.append(problem_of(problem['seed'], problem['level']))
            count, index = _tweak[1], index + 1
    finally:
        put_back(kept)
    return next((other[1] for other in others if differs(problem, other)), None)


def reordered(problems):
    """Problems with the same lines in another order and another answer, which is wrong for the old order: where the
    order of edges or items means nothing, answers are not unique, and only one is accepted."""
    kept = loaded(_sources[1], ReversingRandom)
    try:
        others = [problem_of(problem['seed'], problem['level']) for problem in problems]
    finally:
        put_back(kept)
    found = []
    for problem, other in zip(problems, others):
        if other is None or other[0] == problem['prompt'] or other[1] == problem['reference']:
            continue
        if sorted(other[0].splitlines()) == sorted(problem['prompt'].splitlines()) and is_wrong(problem, other[1]):
            found.append({'level': problem['level'], 'seed': problem['seed'], 'other': other[1][:200]})
    return found


def changed_number(problems, begin, end, value):
    """In how many problems another number at this place of the source moves the answer alone."""
    source = _sources[1].encode('utf-8', 'replace')
    other_source = (source[:begin] + str(value + 1).encode() + source[end:]).decode('utf-8', 'replace')
    kept = loaded(other_source)
    try:
        others = [problem_of(problem['seed'], problem['level']) for problem in problems]
    finally:
        put_back(kept)
    return sum(differs(problem, other) for problem, other in zip(problems, others))


def changed_attribute(problem, name):
    """The answer if `name` is one more from its first assignment in _generate on, where that moves the answer alone."""
    before = _class.__dict__.get('__setattr__')
    seen = []

    def assign(self, key, value):
        if key == name and not seen and is_integer(value):
            seen.append(value)
            value += 1
        object.__setattr__(self, key, value)

    try:
        _class.__setattr__ = assign
        other = problem_of(problem['seed'], problem['level'])
    finally:
        if before is None:
            del _class.__setattr__
        else:
            _class.__setattr__ = before
    return other[1] if differs(problem, other) else None


def sizes_in(prompt):
    """Numbers that a reader finds in a prompt: those that stand there, and counts of what stands there."""
    words = ''.join(letter if letter.isdigit() else ' ' for letter in prompt).split()
    parts = prompt.replace(',', ' ').replace('[', ' ').replace(']', ' ').split()
    found = {int(word) for word in words if len(word) < 19}
    counts = {len(words), len(parts), len(prompt.splitlines()), len(max(parts, key=len, default='')), *map(len, parts)}
    counts |= {prompt.count('['), prompt.count('('), prompt.count(',') + 1, len(data_of(prompt))}
    found |= counts | found
    return found | {item + step for item in found for step in (-1, 1)} | {item // 2 for item in found} | {0, 1, 2}


def stored_integers(problems):
    """{name: whether it differs between levels} of the integers on self that equal level give equal value, and that no
    prompt shows or counts."""
    names = None
    for problem in problems:
        env, shown = restore(problem['state']), sizes_in(problem['prompt'])
        here = {name for name, value in env.__dict__.items()
                if name != 'ref_answer' and is_integer(value) and value not in shown}
        names = here if names is None else names & here
    values = {}
    for problem in problems:
        for name in names or ():
            values.setdefault((name, problem['level']), set()).add(restore(problem['state']).__dict__[name])
    constant = {}
    for name in sorted(names or ()):
        by_level = [found for (item, _), found in values.items() if item == name]
        if all(len(found) == 1 for found in by_level):
            constant[name] = len(set().union(*by_level)) > 1
    return constant


def depends(problems, suspects):
    """{'draws', 'numbers', 'stored', 'reordered', 'problems'}: what moves answers that the prompts do not show, and
    answers that only the order of the prompt's lines moves."""
    drawn, stored = [], []
    for problem in problems[:4]:
        announce(problem['level'], problem['seed'])
        other = tweaked_draws(problem)
        if other is not None:
            drawn.append({'level': problem['level'], 'seed': problem['seed'], 'other': other[:200]})
    numbers = [changed_number(problems, *place[:3]) for place in suspects]
    for name, differs_by_level in stored_integers(problems).items():
        moved = sum(changed_attribute(problem, name) is not None for problem in problems)
        if 2 * moved > len(problems):
            stored.append([name, differs_by_level])
    return {'draws': drawn, 'numbers': numbers, 'stored': stored, 'reordered': reordered(problems),
            'problems': len(problems)}

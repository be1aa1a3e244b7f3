"""The base class of environments that are written in Python, and helpers that they may use without importing.

The engine loads this file before an environment's own file; everything public here is a global name there. A response
marks its answer (<answer>...</answer> or \\boxed{...}, as the prompt format of the run has it); the engine takes the
text between the marks, trimmed, and hands only that to `_process`.
"""
from random import Random


class VerifiableEnvironment:
    """One task: many problems, each with an answer that code can check.

    A subclass has a constructor without arguments and the four methods below. `_generate` is called once on a fresh
    instance; from then on all that a problem is stands on `self`, as numbers, strings, lists, tuples, sets and
    dictionaries, so that it can be stored and scored later in another process.
    """

    prompt_template = ""  # the task in words, with {names} for what a problem fills in
    passing = 1.0  # the score from which an answer counts as right

    def __init__(self):
        self.parameter = {}
        self.ref_answer = None

    def _generate(self, seed, difficulty):
        """Sets up one problem and stores a right answer in self.ref_answer. Equal seeds and difficulties (an integer
        from 0 up) make equal problems."""
        raise NotImplementedError

    def _prompt_generate(self):
        """The text of the problem, with the form of the answer in words, but not how to mark it."""
        raise NotImplementedError

    def _process(self, response):
        """The answer that a text states, or None if it is not of the asked form."""
        raise NotImplementedError

    def scorer(self, parsed):
        """The score of what _process returned: 1 if right, less if not, down to -1."""
        raise NotImplementedError

    def reference_text(self):
        """self.ref_answer as a policy would write it. None: in one of the usual forms, which the engine tries: as it
        stands, numbers separated by spaces or commas, one per line, in brackets."""
        return None


def parse_int(text):
    """An integer in decimal digits, or None."""
    try:
        return int(text.strip()) if text.isascii() else None
    except ValueError:
        return None


def parse_int_list(text):
    """Integers separated by white space, or None; the empty text is the empty list."""
    numbers = [parse_int(word) for word in text.split()] if text.isascii() else [None]
    return None if None in numbers else numbers


def parse_int_rows(text):
    """A list of integers for every line that is not blank, or None."""
    rows = [parse_int_list(line) for line in text.splitlines() if line.strip()]
    return None if None in rows else rows


def share_reward(part, whole, beta=10.0):
    """(part / whole)^beta, and 1 only if part is all of whole."""
    return 1.0 if part == whole else min((part / whole) ** beta, 1.0 - 2.0 ** -53)


def closeness_reward(answer, reference, beta=10.0):
    """(smaller / larger)^beta of two integers that should be equal; 0 if one of them is not positive."""
    if answer == reference:
        return 1.0
    if answer <= 0 or reference <= 0:
        return 0.0
    return min((min(answer, reference) / max(answer, reference)) ** beta, 1.0 - 2.0 ** -53)


def ratio_reward(value, best, beta=5.0):
    """(value / best)^beta of a task that maximises; 1 if value reaches best."""
    return 1.0 if value >= best else share_reward(max(value, 0), best, beta)


def grow(start, difficulty):
    """A size that grows by a tenth and one with every step of difficulty."""
    for _ in range(difficulty):
        start = int(1.1 * start + 1)
    return start

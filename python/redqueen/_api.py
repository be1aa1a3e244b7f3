"""Environments, problems and verdicts: the functions of the package with their defaults."""

from __future__ import annotations

import builtins
import operator
import typing
from collections.abc import Iterable, Sequence

from . import _native
from ._native import Env, Episode, Problem, Suite, Verdicts
from ._types import Numbers, SuiteLike


_MOST_LEVEL = 2**31 - 1  # of the engine's int; no environment has as many
_MOST_SEED = 2**64 - 1


def _index(value: typing.Any) -> int:
    """The value as a whole number; -1, which nobody asks for, where it is none or is below 0."""
    try:
        return -1 if isinstance(value, bool) else max(-1, operator.index(value))
    except TypeError:
        return -1


def _at_least_1(value: int | None, name: str) -> int:
    """As the engine counts threads and workers: 0 stands for one per core."""
    if value is None:
        return 0
    number = _index(value)
    if not 1 <= number <= _MOST_LEVEL:
        raise _native.UsageError(f"{name}: at least 1, or None for one per core, and not {value!r}")
    return number


def _threads(threads: int | None) -> int:
    return _at_least_1(threads, "threads")


def _count(value: int, name: str) -> int:
    """A whole number from 0 on."""
    number = _index(value)
    if number < 0:
        raise _native.UsageError(f"{name}: a whole number from 0 on, and not {value!r}")
    return number


def _batch_size(count: int) -> int:
    number = _index(count)
    if not 1 <= number <= _MOST_LEVEL:
        raise _native.UsageError(f"count: a batch has at least one problem, and not {count!r}")
    return number


def _numbers(what: Numbers, name: str, most: int = _MOST_LEVEL) -> builtins.list[int]:
    """One number, or several, none above `most`."""
    several = isinstance(what, Iterable) and not isinstance(what, (str, bytes))
    found = []
    for item in typing.cast("Iterable[typing.SupportsIndex]", what if several else [what]):
        number = _index(item)
        if not 0 <= number <= most:
            raise _native.UsageError(f"{name}: whole numbers from 0 to {most}, and not {item!r}")
        found.append(number)
    return found


def _addresses(addresses: Iterable[str]) -> builtins.list[str]:
    """A list of texts; one text would be taken for a list of its letters."""
    if isinstance(addresses, str) or not isinstance(addresses, Iterable):
        raise _native.UsageError("restore_many takes a list of addresses; restore takes one")
    return _texts(addresses, "addresses")


def _texts(texts: Iterable[typing.Any], name: str) -> builtins.list[str]:
    found = builtins.list(texts)
    for text in found:
        if not isinstance(text, str):
            raise TypeError(f"{name}: expected a text (str), and not {type(text).__name__}")
    return found


def _lists(problems: typing.Any, texts: typing.Any) -> None:
    """Refuses what score_many cannot go through item by item."""
    for given in (problems, texts):
        if isinstance(given, (str, bytes)) or not isinstance(given, Iterable):
            raise _native.UsageError("score_many: lists of problems and of texts; for one problem there is problem.score(text)")


def list() -> builtins.list[str]:
    """The names of all environments, sorted.

    >>> "Sorting" in rq.list()
    True
    """
    return _native.names()


def describe(name: SuiteLike) -> dict[str, typing.Any]:
    """The card of an environment: what it asks, what grows with the level, what earns what.

    >>> rq.describe("Sorting")["family"]
    'sequences'
    """
    return make(name).describe()


def make(name: SuiteLike, *, prompt: str = "plain", tolerant: bool = False) -> Env:
    """An environment, by its name, or from the path of a Python file or a data set (.jsonl).

    The problems of a file have addresses under the name of its environment, which this process knows from then on: for a
    data set, that of the file without ".jsonl". Two files of one name are refused; `forget` frees a name.

    prompt: how a problem is asked and its answer is marked: plain, boxed, chatml, think, terse, bare, or a text with
        {problem} in it.
    tolerant: read answers that are formatted otherwise, too: bold, LaTeX, brackets, commas. It never takes a reward away from a
        right answer.

    >>> rq.make("Sorting").generate(level=0, seed=1).address
    'Sorting@1/0/1/s1'
    """
    return _native.make(name, prompt, tolerant)


def load_suite(name: SuiteLike) -> Suite:
    """A set of environments: a suite that comes with the package, names separated by commas, the path of a suite's
    .toml, of Python environments or of a data set, or a list of any of these.

    >>> len(rq.load_suite("held-out").environments)
    50
    """
    return _native.load_suite(name)


def restore(
    address: str | None = None,
    *,
    environment: SuiteLike | None = None,
    parameter: typing.Any = None,
    prompt: str = "plain",
    tolerant: bool = False,
) -> Problem:
    """The problem of an address; or that of an environment's name and a `Problem.parameter`.

    >>> problem = rq.make("Sorting").generate(level=3, seed=7)
    >>> rq.restore(problem.address).prompt == problem.prompt
    True
    >>> rq.restore(environment="Sorting", parameter=problem.parameter).prompt == problem.prompt
    True
    """
    if address is not None and environment is None and parameter is None:
        return _native.restore(address, prompt, tolerant)
    if address is None and environment is not None and parameter is not None:
        return make(environment, prompt=prompt, tolerant=tolerant).restore(parameter)
    raise _native.UsageError("restore needs an address, or an environment and a parameter")


def restore_many(
    addresses: Iterable[str], *, prompt: str = "plain", tolerant: bool = False, threads: int | None = None
) -> builtins.list[Problem]:
    """The problems of many addresses, made on several threads (None: one per core).

    >>> [problem.level for problem in rq.restore_many(["Sorting@1/0/1", "Sorting@1/2/3"])]
    [0, 2]
    """
    return _native.restore_many(_addresses(addresses), prompt, tolerant, _threads(threads))


@typing.overload
def generate_many(
    suite: SuiteLike,
    levels: Numbers = 0,
    seeds: Numbers = range(1),
    split: str | int = "train",
    *,
    prompt: str = "plain",
    tolerant: bool = False,
    allow_missing: typing.Literal[False] = False,
    threads: int | None = None,
) -> builtins.list[Problem]: ...


@typing.overload
def generate_many(
    suite: SuiteLike,
    levels: Numbers = 0,
    seeds: Numbers = range(1),
    split: str | int = "train",
    *,
    prompt: str = "plain",
    tolerant: bool = False,
    allow_missing: bool,
    threads: int | None = None,
) -> builtins.list[Problem | None]: ...


def generate_many(
    suite: SuiteLike,
    levels: Numbers = 0,
    seeds: Numbers = range(1),
    split: str | int = "train",
    *,
    prompt: str = "plain",
    tolerant: bool = False,
    allow_missing: bool = False,
    threads: int | None = None,
) -> builtins.list[Problem] | builtins.list[Problem | None]:
    """Every environment of a suite, at every level, with every seed, in this order.

    An Env is asked in its own prompt format. Where a problem cannot be made, raises Error, and where an environment lacks
    a level, UsageError; with allow_missing, None stands in the problem's place.

    >>> problems = rq.generate_many(["Sorting", "Knapsack"], levels=[0, 1], seeds=range(3))
    >>> len(problems), problems[0].address, problems[-1].address
    (12, 'Sorting@1/0/0/s1', 'Knapsack@.../1/2/s1')
    """
    return _native.generate_many(
        suite,
        _numbers(levels, "levels"),
        _numbers(seeds, "seeds", _MOST_SEED),
        split,
        prompt,
        tolerant,
        allow_missing,
        _threads(threads),
    )


def score_many(
    problems: Sequence[Problem | str],
    texts: Sequence[str],
    *,
    prompt: str = "plain",
    tolerant: bool = False,
    raw: bool = False,
    threads: int | None = None,
) -> Verdicts:
    """The verdicts on responses, in their order; other Python threads go on meanwhile.

    problems: as long as texts; addresses may stand for problems, which are made again then, asked by `prompt` and read
        as `tolerant` says.
    raw: the texts are bare answers, without marks.

    >>> problems = rq.generate_many("Sorting", seeds=range(2))
    >>> verdicts = rq.score_many(problems, [f"<answer>{problem.reference}</answer>" for problem in problems])
    >>> verdicts.rewards
    array([1., 1.])
    >>> verdicts[0].solved
    True
    """
    _lists(problems, texts)
    # Copies, which keep what they hold alive whatever another thread does to the lists meanwhile.
    return _native.score_many(
        builtins.list(problems), builtins.list(texts), prompt, tolerant, raw, _threads(threads)
    )


def resume(record: dict[str, typing.Any]) -> Episode:
    """The episode of an `Episode.record`, as it stood.

    >>> episode = rq.make("Sorting").generate(seed=3).start()
    >>> rq.resume(episode.record()).turns
    0
    """
    return _native.resume(record)

"""Environments, problems and verdicts: the functions of the package with their defaults."""

from __future__ import annotations

import builtins
import typing
from collections.abc import Iterable, Sequence

from . import _arguments, _native
from ._native import Env, Episode, Problem, Suite, Verdicts
from ._arguments import Numbers, SuiteLike


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
    return _native.restore_many(_arguments.addresses_of(addresses), prompt, tolerant, _arguments.threads_of(threads))


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
        _arguments.numbers(levels, "levels"),
        _arguments.numbers(seeds, "seeds", _arguments.MOST_SEED),
        split,
        prompt,
        tolerant,
        allow_missing,
        _arguments.threads_of(threads),
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
    _arguments.check_lists(problems, texts)
    # Copies, which keep what they hold alive whatever another thread does to the lists meanwhile.
    return _native.score_many(
        builtins.list(problems), builtins.list(texts), prompt, tolerant, raw, _arguments.threads_of(threads)
    )


def resume(record: dict[str, typing.Any]) -> Episode:
    """The episode of an `Episode.record`, as it stood.

    >>> episode = rq.make("Sorting").generate(seed=3).start()
    >>> rq.resume(episode.record()).turns
    0
    """
    return _native.resume(record)

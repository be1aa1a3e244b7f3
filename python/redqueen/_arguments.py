"""Arguments that may be of several types: what type checkers know of them, and checks that say what was expected."""

from __future__ import annotations

import operator
import os
import typing
from collections.abc import Iterable, Sequence

from . import _native

if typing.TYPE_CHECKING:
    from ._native import Env, Suite
    from ._own import Environment

# A suite or an environment, wherever one is asked for: see `load_suite`.
SuiteLike: typing.TypeAlias = "str | os.PathLike[str] | Env | Suite | Environment | Sequence[SuiteLike]"

# One whole number, or several: Python's own, NumPy's, arrays of them.
Numbers: typing.TypeAlias = "typing.SupportsIndex | Iterable[typing.SupportsIndex]"

MOST_LEVEL = 2**31 - 1  # of the engine's int; no environment has as many
MOST_SEED = 2**64 - 1


def _index(value: typing.Any) -> int:
    """The value as a whole number; -1, which nobody asks for, where it is none or is below 0."""
    try:
        return -1 if isinstance(value, bool) else max(-1, operator.index(value))
    except TypeError:
        return -1


def at_least_1(value: int | None, name: str) -> int:
    """As the engine counts threads and workers: 0 stands for one per core."""
    if value is None:
        return 0
    number = _index(value)
    if not 1 <= number <= MOST_LEVEL:
        raise _native.UsageError(f"{name}: at least 1, or None for one per core, and not {value!r}")
    return number


def threads_of(threads: int | None) -> int:
    return at_least_1(threads, "threads")


def count_of(value: int, name: str) -> int:
    """A whole number from 0 on."""
    number = _index(value)
    if number < 0:
        raise _native.UsageError(f"{name}: a whole number from 0 on, and not {value!r}")
    return number


def batch_size(count: int) -> int:
    number = _index(count)
    if not 1 <= number <= MOST_LEVEL:
        raise _native.UsageError(f"count: a batch has at least one problem, and not {count!r}")
    return number


def numbers(what: Numbers, name: str, most: int = MOST_LEVEL) -> list[int]:
    """One number, or several, as a list of those from 0 to `most`.

    >>> numbers(3, "levels"), numbers(range(2), "levels")
    ([3], [0, 1])
    >>> numbers(-1, "levels")
    Traceback (most recent call last):
    redqueen.UsageError: levels: whole numbers from 0 to 2147483647, and not -1
    """
    several = isinstance(what, Iterable) and not isinstance(what, (str, bytes))
    found = []
    for item in typing.cast("Iterable[typing.SupportsIndex]", what if several else [what]):
        number = _index(item)
        if not 0 <= number <= most:
            raise _native.UsageError(f"{name}: whole numbers from 0 to {most}, and not {item!r}")
        found.append(number)
    return found


def addresses_of(addresses: Iterable[str]) -> list[str]:
    """A list of texts; one text would be taken for a list of its letters."""
    if isinstance(addresses, str) or not isinstance(addresses, Iterable):
        raise _native.UsageError("restore_many takes a list of addresses; restore takes one")
    return texts_of(addresses, "addresses")


def texts_of(texts: Iterable[typing.Any], name: str) -> list[str]:
    found = list(texts)
    for text in found:
        if not isinstance(text, str):
            raise TypeError(f"{name}: expected a text (str), and not {type(text).__name__}")
    return found


def check_lists(problems: typing.Any, texts: typing.Any) -> None:
    """Refuses what score_many cannot go through item by item."""
    for given in (problems, texts):
        if isinstance(given, (str, bytes)) or not isinstance(given, Iterable):
            raise _native.UsageError("score_many: lists of problems and of texts; for one problem there is problem.score(text)")

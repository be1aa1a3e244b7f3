"""What a curriculum is told of an attempt: whether it was solved, and never what it earned."""

from __future__ import annotations

import builtins
import sys
import typing
from collections.abc import Iterable

from ._native import UsageError


def attempted(problems: Iterable[typing.Any]) -> builtins.list[typing.Any]:
    """The problems or addresses that verdicts are about, as a list.

    >>> attempted(problem for problem in ["Sorting@1/0/0/s1"])
    ['Sorting@1/0/0/s1']
    """
    if isinstance(problems, str) or not isinstance(problems, Iterable):
        raise UsageError("update takes a list of problems or addresses, and a list of verdicts")
    return builtins.list(problems)


def solved(verdicts: Iterable[typing.Any]) -> builtins.list[bool]:
    """The truth values of verdicts: of anything that has a member `solved`, of bool, and of NumPy's bool.

    A reward is refused, whatever its sign: -1.0 is true in Python, and would count as solved.

    >>> from redqueen._solved import solved
    >>> solved([True, False])
    [True, False]
    >>> solved([True, -1.0])
    Traceback (most recent call last):
    redqueen.UsageError: update: verdicts or truth values, and item 1 is -1.0; rewards are neither: pass the ...
    """
    numpy = sys.modules.get("numpy")  # nobody holds a value of its types who has not imported it
    truths = (bool,) if numpy is None else (bool, numpy.bool_)
    found: builtins.list[bool] = []
    if not isinstance(verdicts, Iterable):
        raise UsageError(f"update: verdicts or truth values in a list, and not {verdicts!r}")
    for index, verdict in enumerate(verdicts):
        truth = getattr(verdict, "solved", verdict)
        if not isinstance(truth, truths):
            raise UsageError(
                f"update: verdicts or truth values, and item {index} is {verdict!r}; rewards are neither: pass the verdicts, "
                "or their `solved`"
            )
        found.append(bool(truth))
    return found

"""Functions of the package as asyncio has them: each call does its work in a thread, and the loop goes on meanwhile."""

from __future__ import annotations

import asyncio
import functools
import typing
from collections.abc import Callable, Coroutine

P = typing.ParamSpec("P")
T = typing.TypeVar("T")
F = typing.TypeVar("F", bound=Callable[..., typing.Any])


def in_thread(function: Callable[P, T], module: str, doc: str) -> Callable[P, Coroutine[typing.Any, typing.Any, T]]:
    """The same function, to be awaited, as a member of `module`. Of an overloaded one, type checkers see the first overload
    alone: those are written out, and take `parameters_of`.

    >>> import asyncio
    >>> asyncio.run(in_thread(divmod, __name__, "As divmod.")(7, 2))
    (3, 1)
    """

    @functools.wraps(function)
    async def call(*arguments: P.args, **named: P.kwargs) -> T:
        return await asyncio.to_thread(function, *arguments, **named)

    call.__module__, call.__doc__ = module, doc
    return call


def parameters_of(function: Callable[..., typing.Any]) -> Callable[[F], F]:
    """A decorator: `inspect.signature`, `help` and editors show the parameters of `function` for what takes any."""

    def decorate(other: F) -> F:
        functools.update_wrapper(other, function, assigned=(), updated=())
        return other

    return decorate

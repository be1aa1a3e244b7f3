"""Untrusted Python, contained."""

from __future__ import annotations

import os
import typing
from collections.abc import Iterable

from . import _arguments, _native
from ._native import Outcome
from ._types import Call, Request, Settings

if typing.TYPE_CHECKING:
    from typing_extensions import Unpack


class Sandbox:
    """Runs Python that nobody has read: every program in a process of its own, without files, network or privileges.

    workers: programs at a time; None: one per core.
    worker: the program that its processes run; "": that which comes with the package.
    require: how much isolation must be there for it to start: "strict", or "standard", where kernel namespaces and
        Landlock may be missing.
    packages: a folder of Python packages for the profile "data"; "": that of the system's Python.

    Ctrl-C kills what runs, and the sandbox goes on. Closes with the block:

    >>> with rq.Sandbox(workers=1, require="standard") as sandbox:
    ...     sandbox.run("print(6 * 7)").stdout
    ...     sandbox.run("def f(x): return x * x", call="f(12)").result
    ...     sandbox.map("def f(x): return x * x", "f", [1, 2, 3])
    '42\\n'
    144
    [1, 4, 9]
    """

    def __init__(
        self,
        workers: int | None = None,
        *,
        require: str = "strict",
        worker: str | os.PathLike[str] = "",
        packages: str | os.PathLike[str] = "",
    ) -> None:
        if require not in ("strict", "standard"):
            raise _native.UsageError(f'require is "strict" or "standard", not {require!r}')
        count = _arguments.at_least_1(workers, "workers")
        self._native = _native.Sandbox(count, require, os.fspath(worker), os.fspath(packages))

    def run(self, source: str, **request: Unpack[Call]) -> Outcome:
        """Runs a program, or one call into it.

        Any of: call (an expression to evaluate in the program), stdin, profile ("pure", "code", "program", "data"),
        limits (such as {"wall_seconds": 2}), hash_seed, files ({name: text}), fetch (names of files that come back).
        docs/sandbox.md says what they mean, docs/settings.md which limits there are.
        """
        if "calls" in request:
            raise _native.UsageError("run() evaluates one `call`; run_many() takes requests with `calls`")
        return self._run(source, dict(request))

    def _run(self, source: str, request: dict[str, typing.Any], call_off: _native.CallOff | None = None) -> Outcome:
        return self._native.run([{"source": source, **request}], call_off)[0][0]

    @typing.overload
    def run_many(self, requests: Iterable[str]) -> list[Outcome]: ...

    @typing.overload
    def run_many(self, requests: Iterable[str | Request | dict[str, typing.Any]]) -> list[typing.Any]: ...

    def run_many(self, requests: Iterable[typing.Any]) -> list[typing.Any]:
        """Runs many programs, as many at a time as there are workers; their outcomes, in their order. A request is a
        program's text, or a dictionary with `source` and what run() takes; one with `calls`, a list of expressions,
        gives a list of outcomes."""
        return self._run_many(requests)

    def _run_many(self, requests: Iterable[typing.Any], call_off: _native.CallOff | None = None) -> list[typing.Any]:
        if isinstance(requests, str) or not isinstance(requests, Iterable):
            raise _native.UsageError("run_many takes a list of programs; run takes one")
        asked = [{"source": each} if isinstance(each, str) else each for each in requests]
        outcomes = self._native.run(asked, call_off)
        return [some if "calls" in each else some[0] for each, some in zip(asked, outcomes)]

    def map(
        self, source: str, function: str, arguments: Iterable[typing.Any], **request: Unpack[Settings]
    ) -> list[typing.Any]:
        """The values of function(argument) for all arguments, in their order; an argument that is a tuple stands for
        several. Arguments and values are what JSON can hold. Calls are dealt out to all workers, and those that share
        a process share the program's state. Raises Error at the first call that fails."""
        return self._map(source, function, arguments, dict(request))

    def _map(
        self,
        source: str,
        function: str,
        arguments: Iterable[typing.Any],
        request: dict[str, typing.Any],
        call_off: _native.CallOff | None = None,
    ) -> list[typing.Any]:
        if not isinstance(function, str):
            raise _native.UsageError(f"function: the name of one of the program's functions, and not {function!r}")
        lists = [list(each) if isinstance(each, tuple) else [each] for each in arguments]
        share = max(1, -(-len(lists) // (4 * self._native.workers)))
        outcomes = self._native.map({"source": source, **request}, function, lists, share, call_off)
        for index, outcome in enumerate(outcomes):
            if not outcome.ok:
                reason = outcome.message or outcome.exception
                raise _native.Error(f"{function}, called with item {index}: {outcome.status}: {reason}")
        return [outcome.result for outcome in outcomes]

    @property
    def workers(self) -> int:
        """How many programs it runs at a time."""
        return self._native.workers

    def layers(self) -> list[tuple[str, str]]:
        """The layers of isolation and their states: "on", "off" or "unavailable"."""
        return self._native.layers()

    def close(self) -> None:
        """Ends it, and kills what still runs: whoever waits for that gets outcomes that are "crashed"."""
        self._native.close()

    def __enter__(self) -> Sandbox:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

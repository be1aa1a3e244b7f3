"""The functions of the package for asyncio: each does its work in a thread, and the loop goes on meanwhile.

A task that is cancelled kills the programs that it runs in a sandbox; whatever else it called goes on in its thread to its end.

>>> import asyncio
>>> async def main():
...     problem = rq.make("Sorting").generate(level=2, seed=5)
...     return await problem.ascore("<answer>3 2 1</answer>")
>>> asyncio.run(main()).solved
False

Programs in the sandbox, too, several at once up to its workers:

>>> async def programs():
...     with rq.Sandbox(workers=2, require="standard") as sandbox:
...         return await asyncio.gather(*(rq.aio.run(sandbox, f"print({i} * 7)") for i in range(3)))
>>> [outcome.stdout for outcome in asyncio.run(programs())]
['0\\n', '7\\n', '14\\n']
"""

from __future__ import annotations

import asyncio
import functools
import typing
from collections.abc import Iterable

from . import _api, _dataset, _native
from ._arguments import Numbers, SuiteLike
from ._curriculum import Curriculum
from ._in_thread import in_thread, parameters_of
from ._native import Episode, Outcome, Problem, Verdict, Verdicts
from ._sandbox import Sandbox
from ._types import Call, Request, Settings

if typing.TYPE_CHECKING:
    import datasets
    from typing_extensions import Unpack

# Without `map`: `from redqueen.aio import *` would take Python's own away.
__all__ = [
    "dataset",
    "generate_many",
    "next_batch",
    "restore_many",
    "run",
    "run_many",
    "score",
    "score_many",
    "step",
    "update",
]


async def score(problem: Problem, text: str, raw: bool = False) -> Verdict:
    """As Problem.score."""
    return await asyncio.to_thread(problem.score, text, raw)


async def step(episode: Episode, action: str | dict[str, typing.Any]) -> tuple[list[dict[str, typing.Any]], float, bool, bool, dict[str, typing.Any]]:
    """As Episode.step. One episode takes one step at a time."""
    return await asyncio.to_thread(episode.step, action)


score_many = in_thread(_api.score_many, __name__, "As redqueen.score_many.")
restore_many = in_thread(_api.restore_many, __name__, "As redqueen.restore_many.")


@typing.overload
async def generate_many(
    suite: SuiteLike,
    levels: Numbers = 0,
    seeds: Numbers = range(1),
    split: str | int = "train",
    *,
    prompt: str = "plain",
    tolerant: bool = False,
    allow_missing: typing.Literal[False] = False,
    threads: int | None = None,
) -> list[Problem]: ...


@typing.overload
async def generate_many(
    suite: SuiteLike,
    levels: Numbers = 0,
    seeds: Numbers = range(1),
    split: str | int = "train",
    *,
    prompt: str = "plain",
    tolerant: bool = False,
    allow_missing: bool,
    threads: int | None = None,
) -> list[Problem | None]: ...


@parameters_of(_api.generate_many)
async def generate_many(*arguments: typing.Any, **named: typing.Any) -> typing.Any:
    """As redqueen.generate_many."""
    function: typing.Any = _api.generate_many
    return await asyncio.to_thread(function, *arguments, **named)


@typing.overload
async def dataset(
    suite: SuiteLike,
    levels: Numbers = 0,
    size: int = 1000,
    split: str | int = "train",
    seed: int = 0,
    *,
    prompt: str = "plain",
    chat: bool = False,
    reference: bool = False,
    as_list: typing.Literal[False] = False,
) -> datasets.Dataset: ...


@typing.overload
async def dataset(
    suite: SuiteLike,
    levels: Numbers = 0,
    size: int = 1000,
    split: str | int = "train",
    seed: int = 0,
    *,
    prompt: str = "plain",
    chat: bool = False,
    reference: bool = False,
    as_list: typing.Literal[True],
) -> list[dict[str, typing.Any]]: ...


@parameters_of(_dataset.dataset)
async def dataset(*arguments: typing.Any, **named: typing.Any) -> typing.Any:
    """As redqueen.dataset."""
    function: typing.Any = _dataset.dataset
    return await asyncio.to_thread(function, *arguments, **named)


async def next_batch(curriculum: Curriculum, count: int) -> list[Problem]:
    """As Curriculum.next_batch. Calls that wait for each other draw what the same calls without asyncio do."""
    return await asyncio.to_thread(curriculum.next_batch, count)


async def update(
    curriculum: Curriculum,
    problems: Iterable[Problem | str],
    verdicts: Verdicts | Iterable[Verdict | bool],
    *,
    end_step: bool = True,
) -> int:
    """As Curriculum.update."""
    return await asyncio.to_thread(curriculum.update, problems, verdicts, end_step=end_step)


async def _run(work: typing.Any, *arguments: typing.Any) -> typing.Any:
    """What a sandbox runs; it is called off where the task is cancelled."""
    call_off = _native.CallOff()
    try:
        return await asyncio.to_thread(functools.partial(work, *arguments, call_off=call_off))
    except asyncio.CancelledError:
        call_off.ask()
        raise


async def run(sandbox: Sandbox, source: str, **request: Unpack[Call]) -> Outcome:
    """As Sandbox.run."""
    if "calls" in request:
        return sandbox.run(source, **request)  # says what is wrong
    return await _run(sandbox._run, source, dict(request))


@typing.overload
async def run_many(sandbox: Sandbox, requests: Iterable[str]) -> list[Outcome]: ...


@typing.overload
async def run_many(
    sandbox: Sandbox, requests: Iterable[str | Request | dict[str, typing.Any]]
) -> list[typing.Any]: ...


async def run_many(sandbox: Sandbox, requests: Iterable[typing.Any]) -> list[typing.Any]:
    """As Sandbox.run_many."""
    return await _run(sandbox._run_many, requests)


async def map(
    sandbox: Sandbox, source: str, function: str, arguments: Iterable[typing.Any], **request: Unpack[Settings]
) -> list[typing.Any]:
    """As Sandbox.map."""
    return await _run(sandbox._map, source, function, arguments, dict(request))

"""The functions of the package for asyncio: each does its work in a thread, and the loop goes on meanwhile.

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
import typing
from collections.abc import Iterable, Sequence

from . import _api
from ._native import Episode, Outcome, Problem, Verdict, Verdicts
from ._sandbox import Sandbox


async def score(problem: Problem, text: str, raw: bool = False) -> Verdict:
    """As Problem.score."""
    return await asyncio.to_thread(problem.score, text, raw)


async def step(episode: Episode, action: object) -> tuple[list[dict[str, typing.Any]], float, bool, bool, dict]:
    """As Episode.step. One episode takes one step at a time."""
    return await asyncio.to_thread(episode.step, action)


async def score_many(*arguments: typing.Any, **settings: typing.Any) -> Verdicts:
    """As redqueen.score_many."""
    return await asyncio.to_thread(_api.score_many, *arguments, **settings)


async def generate_many(*arguments: typing.Any, **settings: typing.Any) -> list[Problem]:
    """As redqueen.generate_many."""
    return await asyncio.to_thread(_api.generate_many, *arguments, **settings)


async def restore_many(*arguments: typing.Any, **settings: typing.Any) -> list[Problem]:
    """As redqueen.restore_many."""
    return await asyncio.to_thread(_api.restore_many, *arguments, **settings)


async def run(sandbox: Sandbox, source: str, **request: typing.Any) -> Outcome:
    """As Sandbox.run."""
    return await asyncio.to_thread(sandbox.run, source, **request)


async def run_many(sandbox: Sandbox, requests: Iterable[str | dict[str, typing.Any]]) -> list[typing.Any]:
    """As Sandbox.run_many."""
    return await asyncio.to_thread(sandbox.run_many, requests)


async def map(
    sandbox: Sandbox, source: str, function: str, arguments: Sequence[typing.Any], **request: typing.Any
) -> list[typing.Any]:
    """As Sandbox.map."""
    return await asyncio.to_thread(sandbox.map, source, function, arguments, **request)

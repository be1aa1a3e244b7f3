"""The functions of the package for asyncio: each does its work in a thread, and the loop goes on meanwhile.

>>> import asyncio
>>> async def main():
...     problem = rq.make("Sorting").generate(level=2, seed=5)
...     return await problem.ascore("<answer>3 2 1</answer>")
>>> asyncio.run(main()).solved
False
"""

from __future__ import annotations

import asyncio
import typing

from . import _api
from ._native import Episode, Problem, Verdict, Verdicts


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

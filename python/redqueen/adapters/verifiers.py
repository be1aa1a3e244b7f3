"""verifiers 0.4 (v1): a taskset of problems, fixed or drawn by a curriculum. `vf-eval redqueen.adapters.verifiers` runs it.

The module is a taskset's folder in verifiers' sense: `__all__` holds the one class that it loads.
"""
from __future__ import annotations

import asyncio
import itertools
from typing import Any, Iterator

import verifiers.v1 as vf

from ._source import one_answer, served, source, teller


class RedQueenTaskConfig(vf.TaskConfig):
    """Where scores come from: servers, or the engine in this process. `curriculum` is told of what was solved."""

    url: str | None = None
    curriculum: str | None = None


class RedQueenConfig(vf.TasksetConfig):
    """What is asked: `size` problems of a suite (−1: without end), or what the curriculum draws, `at_once` problems at a time,
    with `settings` of a curriculum."""

    suite: str = "Sorting"
    levels: list[int] = [0]
    seed: int = 0
    split: str = "train"
    size: int = -1
    settings: dict[str, Any] = {}
    at_once: int = 16
    task: RedQueenTaskConfig = RedQueenTaskConfig()


class RedQueenData(vf.TaskData):
    address: str


class RedQueenTask(vf.Task[RedQueenData, vf.State, RedQueenTaskConfig]):
    @property
    def key(self) -> str:
        return self.data.address

    @vf.reward(weight=1.0)
    async def redqueen(self, trace: vf.Trace) -> float:
        verdict = (await asyncio.to_thread(source(self.config.url).score_many, [self.data.address], [trace.last_reply or ""]))[0]
        if self.config.curriculum:
            teller(self.config.url, self.config.curriculum).tell(self.data.address, verdict.solved)
        trace.record_metric("solved", float(verdict.solved))
        return verdict.reward


class RedQueenTaskset(vf.Taskset[RedQueenTask, RedQueenConfig]):
    INFINITE = True  # `limit` bounds an evaluation, where `size` does not

    def load(self) -> Iterator[RedQueenTask]:
        where = source(self.config.task.url)
        for problem in self._problems():
            one_answer(where, [problem["address"]], "verifiers' own `openenv` taskset plays it on redqueen serve")
            yield RedQueenTask(RedQueenData(id=problem["address"], name=problem["address"], prompt=problem["prompt"],
                                            address=problem["address"]), self.config.task)

    def _problems(self) -> Iterator[dict[str, Any]]:
        config, where = self.config, source(self.config.task.url)
        if config.task.curriculum:
            curriculum = served(config.task.url).Curriculum(config.suite, id=config.task.curriculum, seed=config.seed, **config.settings)
            drawn = ({"address": p.address, "prompt": p.prompt} for p in curriculum.stream("verifiers", at_once=config.at_once))
            yield from drawn if config.size < 0 else itertools.islice(drawn, config.size)
            return
        page, given = 64, 0
        while config.size < 0 or given < config.size:
            # A longer list begins as a shorter one does.
            page = max(page, 2 * given) if config.size < 0 else config.size
            rows = where.dataset(config.suite, config.levels, page, split=config.split, seed=config.seed)
            yield from rows[given:]
            given = page


__all__ = ["RedQueenTaskset"]

"""These environments as a taskset of verifiers 0.4 (v1)."""
from __future__ import annotations

import asyncio
from typing import Iterator

import verifiers.v1 as vf

from . import runtime


class PoolTaskConfig(vf.TaskConfig):
    pass


class PoolConfig(vf.TasksetConfig):
    """`levels` and `environments` choose among the stored problems; none: all of them."""

    levels: list[int] = []
    environments: list[str] = []
    task: PoolTaskConfig = PoolTaskConfig()


class PoolData(vf.TaskData):
    environment: str
    level: int
    seed: int


class PoolTask(vf.Task[PoolData, vf.State, PoolTaskConfig]):
    @vf.reward(weight=1.0)
    async def solved(self, trace: vf.Trace) -> float:
        answer = runtime.marked_answer(trace.last_reply or "")
        if answer is None:
            return -1.0
        return await asyncio.to_thread(runtime.score, self.data.environment, self.data.level, self.data.seed, answer)


class PoolTaskset(vf.Taskset[PoolTask, PoolConfig]):
    def load(self) -> Iterator[PoolTask]:
        for problem in runtime.problems():
            if self.config.levels and problem["level"] not in self.config.levels:
                continue
            if self.config.environments and problem["environment"] not in self.config.environments:
                continue
            name = f"{problem['environment']}/{problem['level']}/{problem['seed']}"
            yield PoolTask(PoolData(id=name, name=name, prompt=problem["prompt"] + runtime.INSTRUCTION,
                                    environment=problem["environment"], level=problem["level"], seed=problem["seed"]),
                           self.config.task)


__all__ = ["PoolTaskset"]

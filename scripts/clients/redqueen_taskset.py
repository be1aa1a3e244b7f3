"""A taskset of verifiers over the server's own API: problems of an environment and level, one seed after another, without end."""
import asyncio

import verifiers.v1 as vf
from common import ask


class TaskSettings(vf.TaskConfig):
    base_url: str = "http://127.0.0.1:8000"


class Settings(vf.TasksetConfig):
    environment: str = "Sorting"
    level: int = 0
    seed: int = 0
    task: TaskSettings = TaskSettings()


class Row(vf.TaskData):
    address: str


class RedQueenTask(vf.Task[Row, vf.State, TaskSettings]):
    @property
    def key(self) -> str:
        return self.data.address

    @vf.reward(weight=1.0)
    async def redqueen(self, trace: vf.Trace) -> float:
        item = {"address": self.data.address, "response": trace.last_reply}
        verdict = await asyncio.to_thread(ask, f"{self.config.base_url}/v1/score", item)
        trace.record_metric("solved", float(verdict["solved"]))
        return verdict["reward"]


class RedQueenTaskset(vf.Taskset[RedQueenTask, Settings]):
    INFINITE = True

    def load(self):
        seed, page = self.config.seed, 16
        while True:
            wanted = {"environment": self.config.environment, "level": self.config.level, "seed": seed, "count": page}
            for problem in ask(f"{self.config.task.base_url}/v1/problems", wanted)["problems"]:
                address = problem["address"]
                yield RedQueenTask(Row(id=address, name=address, prompt=problem["prompt"], address=address), self.config.task)
            seed += page


__all__ = ["RedQueenTaskset"]

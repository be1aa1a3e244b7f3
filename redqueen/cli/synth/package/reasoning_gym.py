"""These environments as data sets of reasoning-gym: importing the package registers one for each."""
from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from reasoning_gym.factory import ProceduralDataset, register_dataset

from . import runtime


@dataclass
class PoolConfig:
    """Which stored problems: of a level, or of all."""

    level: int | None = None
    seed: int = 0
    size: int = 50

    def validate(self) -> None:
        if self.size < 1:
            raise ValueError("size must be 1 or more")


def _make(environment: str) -> type:
    class Pool(ProceduralDataset):
        def __init__(self, config: PoolConfig):
            super().__init__(config, config.seed, config.size)
            self._problems = [problem for problem in runtime.problems() if problem["environment"] == environment
                              and config.level in (None, problem["level"])]
            if not self._problems:
                raise ValueError(f"{environment} has no stored problem of level {config.level}")

        def __getitem__(self, idx: int) -> dict[str, Any]:
            problem = self._problems[(self.config.seed + idx) % len(self._problems)]
            return {"question": problem["prompt"], "answer": problem["answer"], "metadata": {
                "source_dataset": environment, "source_index": idx, "environment": environment, "level": problem["level"],
                "seed": problem["seed"], "difficulty": {"level": problem["level"]}}}

        def score_answer(self, answer: str | None, entry: dict[str, Any]) -> float:
            if not isinstance(answer, str) or not answer:
                return 0.0
            where = entry["metadata"]
            return runtime.score(where["environment"], where["level"], where["seed"], answer)

    Pool.__name__ = environment
    return Pool


NAMES = runtime.environments()
for _name in NAMES:
    register_dataset(_name, _make(_name), PoolConfig)

"""reasoning-gym: data sets with its calls, so that code written for it trains on these environments.

    data = create_dataset("Sorting", level=3, size=100, seed=0)
    data.score_answer("1 2 3", data[0])

After `register()`, `reasoning_gym.create_dataset("redqueen", environment="Sorting", level=3)` makes the same.
"""
from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Iterator

from ._source import curriculum, one_answer, only_environment, source  # noqa: F401


class RedQueenDataset:
    """`size` problems of an environment at a level: entries with question, answer (where it is known here) and metadata."""

    def __init__(self, environment: str, level: int = 0, size: int = 500, seed: int = 0, split: str = "train", url: Any = None):
        self.environment, self.level, self.size, self.seed, self.split = environment, level, size, seed, split
        self._where = source(url)
        first = self._where.dataset(only_environment(self._where, environment, level), [level], 1)
        one_answer(self._where, [row["address"] for row in first], "redqueen.adapters.gymnasium.RedQueenEnv plays it")

    def __len__(self) -> int:
        return self.size

    def __getitem__(self, idx: int) -> dict[str, Any]:
        if not 0 <= idx < self.size:
            raise IndexError(f"there are {self.size} problems, and {idx} is none of them")
        row = self._where.dataset(self.environment, [self.level], 1, split=self.split, seed=self.seed + idx)[0]
        # Servers tell nobody the answer; score_answer needs none.
        answer = getattr(self._where.restore(row["address"]), "reference", "")
        return {"question": row["prompt"], "answer": answer, "metadata": {
            "source_dataset": f"redqueen/{self.environment}", "source_index": idx, "address": row["address"],
            "difficulty": {"level": self.level}}}

    def __iter__(self) -> Iterator[dict[str, Any]]:
        return (self[idx] for idx in range(self.size))

    def score_answer(self, answer: str | None, entry: dict[str, Any]) -> float:
        """The reward of a bare answer (without the marks around it), from −1 to 1; 0 for none, as reasoning-gym has it."""
        if not isinstance(answer, str) or not answer:
            return 0.0
        return self._where.restore(entry["metadata"]["address"]).score(answer, raw=True).reward


def create_dataset(name: str, **settings: Any) -> RedQueenDataset:
    """The data set of an environment; the settings are those of RedQueenDataset."""
    return RedQueenDataset(name, **settings)


@dataclass
class RedQueenConfig:
    """Settings of the data set in reasoning-gym's own registry."""

    environment: str = "Sorting"
    level: int = 0
    size: int = 500
    seed: int = 0
    split: str = "train"
    url: str | None = None

    def validate(self) -> None:
        if self.size < 1 or self.level < 0:
            raise ValueError("size must be 1 or more, and level 0 or more")


def register(name: str = "redqueen") -> None:
    """Adds a data set to reasoning-gym's registry, so that its composites and its tools take these environments."""
    import reasoning_gym
    from reasoning_gym.factory import DATASETS, ProceduralDataset

    if name in DATASETS:
        return

    class Registered(ProceduralDataset):
        def __init__(self, config: RedQueenConfig):
            super().__init__(config, config.seed, config.size)
            self._data = RedQueenDataset(**vars(config))

        def __getitem__(self, idx: int) -> dict[str, Any]:
            entry = self._data[idx]
            entry["metadata"]["source_dataset"] = name  # by which a composite finds who scores it
            return entry

        def score_answer(self, answer: str | None, entry: dict[str, Any]) -> float:
            return self._data.score_answer(answer, entry)

    reasoning_gym.register_dataset(name, Registered, RedQueenConfig)

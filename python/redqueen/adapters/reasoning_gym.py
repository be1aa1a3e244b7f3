"""reasoning-gym: data sets with its calls, so that code written for it trains on these environments.

    data = create_dataset("Sorting", level=3, size=100, seed=0)
    data.score_answer("1 2 3", data[0])

After `register()`, `reasoning_gym.create_dataset("redqueen", environment="Sorting", level=3)` makes the same, and
`reasoning_gym.factory.create_curriculum("redqueen")` has its level as an attribute.
"""
from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Iterator

from ._source import curriculum, one_answer, only_environment, source  # noqa: F401


class RedQueenDataset:
    """`size` problems of an environment at a level: entries with question, answer (where it is known here) and metadata.

    With a `curriculum` (`curriculum(suite, …)` makes one) in place of an environment, an entry is drawn when it is first asked
    for, at the level where the curriculum stands by then, and `score_answer` tells it what was solved.
    """

    def __init__(self, environment: str | None = None, level: int = 0, size: int = 500, seed: int = 0, split: str = "train",
                 url: Any = None, curriculum: Any = None):
        self.environment, self.level, self.size, self.seed, self.split = environment, level, size, seed, split
        self._where = source(url)
        self._curriculum, self._drawn = curriculum, {}
        if (environment is None) == (curriculum is None):
            raise ValueError("name an environment, or give a curriculum, which chooses problems of its own")
        if environment is None:
            return
        first = self._where.dataset(only_environment(self._where, environment, level), [level], 1)
        one_answer(self._where, [row["address"] for row in first], "redqueen.adapters.gymnasium.RedQueenEnv plays it")

    def __len__(self) -> int:
        return self.size

    def __getitem__(self, idx: int) -> dict[str, Any]:
        if not 0 <= idx < self.size:
            raise IndexError(f"there are {self.size} problems, and {idx} is none of them")
        if self._curriculum is not None:
            if idx not in self._drawn:
                self._drawn[idx] = self._curriculum.next_batch(1)[0].address
                one_answer(self._where, [self._drawn[idx]], "redqueen.adapters.gymnasium.RedQueenEnv plays it")
            address = self._drawn[idx]
        else:
            row = self._where.dataset(self.environment, [self.level], 1, split=self.split, seed=self.seed + idx)[0]
            address = row["address"]
        problem = self._where.restore(address)
        # Servers tell nobody the answer; score_answer needs none.
        return {"question": problem.prompt, "answer": getattr(problem, "reference", ""), "metadata": {
            "source_dataset": f"redqueen/{problem.environment}", "source_index": idx, "address": address,
            "difficulty": {"level": problem.level}}}

    def __iter__(self) -> Iterator[dict[str, Any]]:
        return (self[idx] for idx in range(self.size))

    def score_answer(self, answer: str | None, entry: dict[str, Any]) -> float:
        """The reward of a bare answer (without the marks around it), from −1 to 1; 0 for none, as reasoning-gym has it."""
        if not isinstance(answer, str) or not answer:
            return 0.0
        address = entry["metadata"]["address"]
        verdict = self._where.restore(address).score(answer, raw=True)
        if self._curriculum is not None:
            self._curriculum.update([address], [verdict.solved])
        return verdict.reward


def create_dataset(name: str | None = None, **settings: Any) -> RedQueenDataset:
    """The data set of an environment, or of a `curriculum`; the settings are those of RedQueenDataset."""
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


def register(name: str = "redqueen", environment: str = "Sorting", url: str | None = None) -> None:
    """Adds a data set and its curriculum to reasoning-gym's registry, so that its composites, experiments and tools take them.

    Args:
        environment: that is meant where a configuration names none, as in a CurriculumExperiment; with names of their own,
            several environments have a curriculum each.
        url: servers, likewise.
    """
    import dataclasses

    import reasoning_gym
    from reasoning_gym.coaching import BaseCurriculum, ScalarAttributeDefinition
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

    config = dataclasses.make_dataclass("RedQueenConfig", [
        ("environment", str, environment), ("url", str | None, url)], bases=(RedQueenConfig,))

    class Levels(BaseCurriculum):
        def __init__(self) -> None:
            super().__init__(name, config)
            highest = source(url).describe(environment)["max_level"]
            self._define_attributes(ScalarAttributeDefinition(
                name="level", field_name="level", levels=[*range(highest + 1)], description="the level of the environment"))

    reasoning_gym.register_dataset(name, Registered, config, Levels)

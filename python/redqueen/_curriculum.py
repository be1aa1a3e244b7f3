"""Curricula: problems at the levels that teach most."""

from __future__ import annotations

import typing
from collections.abc import Iterable

from . import _arguments, _native, _solved
from ._native import Problem, Suite, Verdict, Verdicts
from ._arguments import SuiteLike
from ._types import CurriculumSettings

if typing.TYPE_CHECKING:
    from typing_extensions import Unpack


class Curriculum:
    """Draws problems of a suite at levels that move with what a policy solves.

    suite: a suite, an environment, an own one, or a list of those.
    method: how levels are chosen:
        rlve          a range that rises as its upper level is solved (RLVE, algorithm 1); "adaptive" is the same
        static        uniform from `low` to `high`
        learnability  by p (1 - p), p the share solved
        replay        prioritised level replay
        bandit        where the share solved moves
    seed: of the draws. Equal seeds, settings and verdicts give equal batches.
    settings: accuracy_threshold (0.9: the share solved at the upper level that raises it), minimum_groups (8: of
        attempts before it is judged), rollouts (8: attempts at a problem), width (4: levels drawn from, at most), low,
        high, exploration, salt (1: problems of different salts share no randomness).

    >>> curriculum = rq.Curriculum(["Sorting", "Knapsack"], seed=1)
    >>> batch = curriculum.next_batch(4)
    >>> curriculum.update(batch, [problem.score(f"<answer>{problem.reference}</answer>") for problem in batch])
    4
    >>> curriculum.levels()
    {'Sorting': (0, 0), 'Knapsack': (0, 0)}
    """

    def __init__(
        self,
        suite: SuiteLike,
        method: str = "rlve",
        seed: int = 0,
        *,
        prompt: str = "plain",
        tolerant: bool = False,
        **settings: Unpack[CurriculumSettings],
    ) -> None:
        loaded = _native.load_suite(suite)
        all_settings = {
            "suite": loaded.name,
            "difficulty": "adaptive" if method == "rlve" else method,
            "seed": seed,
            **settings,
        }
        methods = ["rlve", "adaptive", "static", "learnability", "replay", "bandit"]
        if method not in methods:
            raise _native.UsageError(f"a curriculum has no method {method!r}; there are {', '.join(methods)}")
        known = {
            "suite", "difficulty", "seed", "accuracy_threshold", "minimum_groups", "rollouts", "width", "low", "high",
            "exploration", "salt",
        }  # fmt: skip
        for name in settings:
            if name not in known - {"suite", "difficulty"}:
                raise _native.UsageError(
                    f"a curriculum has no setting {name!r}; there are {', '.join(sorted(known - {'suite', 'difficulty'}))}"
                )
        self._asked = {"method": method, "seed": seed, "prompt": prompt, "tolerant": tolerant, **settings}
        self._native = _native.Curriculum(loaded, all_settings, prompt, tolerant)

    def __reduce__(self) -> tuple[typing.Any, ...]:
        return _again, (self.suite, self._asked, self.state())

    def __repr__(self) -> str:
        return f"<Curriculum {self._asked['method']} of {self.suite.name}, {self.drawn} drawn>"

    def next_batch(self, count: int) -> list[Problem]:
        """The next `count` problems, one at least. What they are depends on the settings, on how many were drawn before,
        and on what was learnt up to now. Raises Error where problems cannot be made, after several attempts."""
        return self._native.next_batch(_arguments.batch_size(count))

    def update(
        self,
        problems: Iterable[Problem | str],
        verdicts: Verdicts | Iterable[Verdict | bool],
        *,
        end_step: bool = True,
    ) -> int:
        """Learns from one verdict, or truth value, for each problem or address; one may stand there many times, once
        for each attempt. Returns how many counted: problems of other suites or splits do not. At the end of a step
        levels move; a step that comes in several pieces ends with the last."""
        return self._native.update(_solved.attempted(problems), _solved.solved(verdicts), end_step)

    def levels(self) -> dict[str, tuple[int, int]]:
        """The lowest and the highest level that each environment is drawn at."""
        return self._native.levels()

    @property
    def suite(self) -> Suite:
        """What it draws from."""
        return self._native.suite

    @property
    def drawn(self) -> int:
        """How many problems were drawn, those that could not be made included."""
        return self._native.drawn

    def state(self) -> dict[str, typing.Any]:
        """All that there is to it, for a checkpoint: a dictionary that JSON can hold."""
        return self._native.state()

    def load(self, state: dict[str, typing.Any]) -> None:
        """Goes on where state() was taken; the settings must be the same."""
        self._native.load(state)


def _again(suite: Suite, asked: dict[str, typing.Any], state: dict[str, typing.Any]) -> Curriculum:
    """Of a pickle: a curriculum as it stood."""
    curriculum = Curriculum(suite, **asked)
    curriculum.load(state)
    return curriculum

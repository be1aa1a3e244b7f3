"""Gymnasium: any environment as one of texts.

    env = RedQueenEnv("household", level=1)
    text, info = env.reset(seed=0)
    text, reward, terminated, truncated, info = env.step("> look")
"""
from __future__ import annotations

import string
from typing import Any

import gymnasium

from ._source import curriculum, only_environment, source, text_of  # noqa: F401

_LONGEST = 1 << 20  # characters of a text
_ANY = "".join(map(chr, range(0x20, 0x17f))) + "\n\t"  # what samples are made of; other characters are read as well


class AnyText(gymnasium.spaces.Text):
    """Texts of any characters; gymnasium's own refuse what is not on a list."""

    def __init__(self) -> None:
        super().__init__(max_length=_LONGEST, min_length=0, charset=_ANY)

    def sample(self, mask: Any = None, probability: Any = None) -> str:
        length = int(self.np_random.integers(1, 64))
        return "".join(self.np_random.choice(list(string.ascii_letters + string.digits + " "), length))

    def contains(self, x: Any) -> bool:
        return isinstance(x, str) and len(x) <= _LONGEST


class RedQueenEnv(gymnasium.Env[str, str]):
    """Observations and actions are texts; one problem an episode.

    `reset(seed=…)` chooses the problem; without it one follows the other. `options` may name a `level` or an `address`.
    `info` has the address, the tools that a world offers, and `solved` at the end.

    With a `curriculum` (`curriculum(suite, …)` makes one), it chooses the problem wherever `reset` names neither seed, level
    nor address, and every episode that ends tells it what was solved. One that is left by `reset` teaches nothing.

    Args:
        environment: its name; with a curriculum it may be left out.
        level: of the problems, where `reset` names none.
        split: `train`, or `test`.
        url: servers; else `$REDQUEEN_URL`, else the engine in this process.
    """

    metadata = {"render_modes": ["ansi"]}

    def __init__(self, environment: str | None = None, level: int = 0, split: str = "train", url: Any = None,
                 render_mode: str | None = None, curriculum: Any = None):
        if environment is None and curriculum is None:
            raise ValueError("name an environment, or give a curriculum, which chooses one")
        self.environment, self.level, self.split, self.render_mode = environment, level, split, render_mode
        self.observation_space, self.action_space = AnyText(), AnyText()
        self._where = source(url)
        if environment is not None:
            only_environment(self._where, environment, level)
        self._curriculum = curriculum
        self._next_seed = 0
        self._text = ""
        self._episode: Any = None

    def reset(self, *, seed: int | None = None, options: dict | None = None) -> tuple[str, dict]:
        super().reset(seed=seed)
        options = options or {}
        self._next_seed = self._next_seed if seed is None else seed
        address = options.get("address")
        if address is None and self._curriculum is not None and (self.environment is None or (seed is None and "level" not in options)):
            address = self._curriculum.next_batch(1)[0].address
        if address is None:
            level = options.get("level", self.level)
            address = self._where.dataset(self.environment, [level], 1, split=self.split, seed=self._next_seed)[0]["address"]
            self._next_seed += 1
        self._address = address
        self._episode = self._where.restore(address).start()
        self._text = _spoken(self._episode.observation)
        return self._text, {"address": address, "tools": self._episode.tools}

    def step(self, action: str) -> tuple[str, float, bool, bool, dict]:
        if self._episode is None:
            raise gymnasium.error.ResetNeeded("call reset before step")
        observation, _, terminated, truncated, _ = self._episode.step(action)
        self._text = _spoken(observation)
        info: dict[str, Any] = {"address": self._address}
        reward = 0.0
        if terminated or truncated:
            verdict = self._episode.verdict()
            reward, info["solved"] = verdict.reward, verdict.solved
            if self._curriculum is not None:
                self._curriculum.update([self._address], [verdict.solved])
            self._episode = None
        return self._text, reward, terminated, truncated, info

    def render(self) -> str | None:
        return self._text if self.render_mode == "ansi" else None


def _spoken(messages: Any) -> str:
    return messages if isinstance(messages, str) else "\n".join(text_of(message) for message in messages)

"""Types that several modules share: the dictionaries that functions take, and what a client's problems need of their client.

It imports no other module of the package, so that all may import it."""

from __future__ import annotations

import typing
from collections.abc import Sequence


class Client(typing.Protocol):
    """What problems, episodes, environments and curricula of servers ask of the client that they belong to."""

    @property
    def owner(self) -> str: ...

    def describe(self, name: object) -> dict[str, typing.Any]: ...

    def load_suite(self, name: object) -> typing.Any: ...

    def restore(self, address: str | None = None, *, prompt: str = "plain", tolerant: bool = False) -> typing.Any: ...

    def score_many(self, problems: Sequence[typing.Any], texts: Sequence[str], *, raw: bool = False) -> typing.Any: ...

    def _ask(self, method: str, path: str, body: typing.Any = None, **how: typing.Any) -> typing.Any: ...

    def _ask_rows(self, body: dict[str, typing.Any], allow_missing: bool = False) -> list[dict[str, typing.Any]]: ...


class Limits(typing.TypedDict, total=False):
    """What a program in the sandbox may use: the limits of redqueen/sandbox/limits.h."""

    wall_seconds: float
    cpu_seconds: float
    memory_bytes: int
    output_bytes: int
    recursion: int


class Profile(typing.TypedDict, total=False):
    """Which modules a program in the sandbox may import: those of `allow`, or all but those of `ban`."""

    allow: Sequence[str]
    ban: Sequence[str]
    ban_attributes: Sequence[str]


class Settings(typing.TypedDict, total=False):
    """What Sandbox.map takes beside the program and its arguments."""

    stdin: str
    profile: str | Profile
    limits: Limits
    hash_seed: int
    files: dict[str, str]
    fetch: Sequence[str]


class Call(Settings, total=False):
    """What Sandbox.run takes beside the program."""

    call: str


class Request(Call, total=False):
    """A request of Sandbox.run_many; `source` must be there."""

    source: str
    calls: Sequence[str]


class CurriculumSettings(typing.TypedDict, total=False):
    """The settings of a Curriculum."""

    accuracy_threshold: float
    minimum_groups: int
    rollouts: int
    width: int
    low: int
    high: int
    exploration: float
    salt: int


class EnvironmentSettings(typing.TypedDict, total=False):
    """The settings of `environment`."""

    name: str
    task: str
    levels: str
    rewards: str
    version: int
    max_level: int
    passing: float

"""What type checkers know of arguments that may be of several types."""

from __future__ import annotations

import os
import typing
from collections.abc import Iterable, Sequence

if typing.TYPE_CHECKING:
    from ._native import Env, Suite
    from ._own import Environment

# A suite or an environment, wherever one is asked for: see `load_suite`.
SuiteLike: typing.TypeAlias = "str | os.PathLike[str] | Env | Suite | Environment | Sequence[SuiteLike]"

# One whole number, or several: Python's own, NumPy's, arrays of them.
Numbers: typing.TypeAlias = "typing.SupportsIndex | Iterable[typing.SupportsIndex]"


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

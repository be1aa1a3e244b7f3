"""
The engine; use the package redqueen, which has its functions with defaults.
"""

from collections.abc import Sequence
import os
from typing import Annotated

import numpy
from numpy.typing import NDArray

from redqueen import Error as Error, UsageError as UsageError


def set_package_folder(folder: str | os.PathLike) -> None: ...

def after_fork() -> None: ...

class Verdict:
    """
    What a response earned.

    A reward just below 1 is not solved: compare `solved`, not `reward`, which
    single precision would round up to 1.
    """

    def __init__(self, reward: float, solved: bool, well_formed: bool = True) -> None: ...

    @property
    def reward(self) -> float:
        """In [-1, 1]; -1 for a response without a readable answer."""

    @property
    def solved(self) -> bool:
        """Whether the answer is right."""

    @property
    def well_formed(self) -> bool:
        """Whether there is an answer of the form that was asked for."""

    @property
    def info(self) -> dict:
        """These three as a dictionary, for logs."""

    def __eq__(self, arg: object, /) -> bool: ...

    def __repr__(self) -> str: ...

class Env:
    """An environment: it makes problems, of which each scores responses."""

    @property
    def name(self) -> str: ...

    @property
    def max_level(self) -> int:
        """The highest level; the lowest is 0."""

    def describe(self) -> object:
        """The environment's card, as a dictionary."""

    def generate(self, level: int = 0, seed: int = 0, split: object = 'train') -> Problem:
        """
        The problem of this level and seed, the same on every machine.

        split: "train", "test" (the problems that evaluation asks), or a number: problems
        of different splits share no randomness. Raises Error where none can be made.
        """

    def restore(self, parameter: object) -> Problem:
        """The problem of a `Problem.parameter`, whoever wrote that."""

    def __repr__(self) -> str: ...

class Problem:
    """One problem. Immutable; may be used from several threads at once."""

    @property
    def prompt(self) -> object:
        """The text for the policy: the statement, and how to mark the answer."""

    @property
    def statement(self) -> object:
        """The statement alone."""

    @property
    def messages(self) -> object:
        """What a chat begins with: a list of {"role", "content"}."""

    @property
    def tools(self) -> object:
        """
        The tools that are offered: a list of {"name", "description", "parameters"}.
        """

    @property
    def max_turns(self) -> int:
        """
        Turns after which an episode is cut off; 1 where there is one question and one answer.
        """

    @property
    def address(self) -> str | None:
        """
        A short text from which `restore` makes the problem again; None where it came from a
        parameter.
        """

    @property
    def environment(self) -> str: ...

    @property
    def level(self) -> int | None: ...

    @property
    def seed(self) -> int | None: ...

    @property
    def split(self) -> str | None:
        """"train" or "test"."""

    @property
    def parameter(self) -> object:
        """
        What the problem is made of; it may hold the answer, so no policy should see it.
        """

    @property
    def reference(self) -> object:
        """The text of a right answer."""

    def score(self, text: object, raw: bool = False) -> Verdict:
        """
        The Verdict on a response. raw: the text is the bare answer, without marks.
        """

    def start(self) -> object:
        """
        Starts an Episode. The policy sees `Episode.observation` and takes turns by `Episode.step`.
        """

    def ascore(self, text: object, raw: bool = False) -> object:
        """The same in a thread of its own; to be awaited."""

    def __repr__(self) -> str: ...

class Suite:
    """A set of environments, weighted for training's draws."""

    @property
    def name(self) -> str: ...

    @property
    def environments(self) -> list[Env]: ...

    @property
    def weights(self) -> list[float]:
        """As `environments`; empty: all the same."""

    @property
    def missing(self) -> list[str]:
        """Listed, but not of this build."""

    @property
    def levels(self) -> list[int]:
        """What it is evaluated on; empty: up to the caller."""

    @property
    def problems(self) -> int:
        """Problems of an environment in its evaluation; 0: up to the caller."""

    def __len__(self) -> int: ...

    def __repr__(self) -> str: ...

def names() -> list[str]: ...

def make(name: object, prompt: str = 'plain', tolerant: bool = False) -> Env: ...

def load_suite(name: object) -> Suite: ...

def restore(address: str, prompt: str = 'plain', tolerant: bool = False) -> Problem: ...

class Verdicts:
    """A sequence of Verdict, in the order of the responses."""

    def __len__(self) -> int: ...

    def __getitem__(self, index: int) -> Verdict: ...

    @property
    def rewards(self) -> Annotated[NDArray[numpy.float64], dict(shape=(None,))]:
        """float64 array of shape (n,), each in [-1, 1]."""

    @property
    def solved(self) -> Annotated[NDArray[numpy.bool_], dict(shape=(None,))]:
        """bool array of shape (n,)."""

    @property
    def well_formed(self) -> Annotated[NDArray[numpy.bool_], dict(shape=(None,))]:
        """bool array of shape (n,)."""

def generate_many(suite: object, levels: Sequence[int], seeds: Sequence[int], split: object, prompt: str, tolerant: bool, allow_missing: bool, threads: int) -> list: ...

def restore_many(addresses: list, prompt: str, tolerant: bool, threads: int) -> list: ...

def score_many(problems: list, texts: list, prompt: str, tolerant: bool, raw: bool, threads: int) -> Verdicts: ...

class Episode:
    """
    One run through a problem: observations, turns, a verdict. Not for sharing between threads.
    """

    @property
    def observation(self) -> object:
        """
        The messages that are new since the last turn: a list of {"role", "content", …}.
        """

    @property
    def tools(self) -> object:
        """The tools on offer: a list of {"name", "description", "parameters"}."""

    @property
    def problem(self) -> Problem: ...

    @property
    def done(self) -> bool: ...

    @property
    def turns(self) -> int: ...

    def step(self, action: object) -> tuple:
        """
        Takes a turn; returns (observation, reward, terminated, truncated, info).

        action: the text that the policy wrote, in which calls of tools are found; or an
        assistant's message, {"content", "tool_calls"}. The rewards of an episode add up to
        that of its verdict. `info` is for records, not for the policy.
        """

    def astep(self, action: object) -> object:
        """The same in a thread of its own; to be awaited."""

    def verdict(self) -> Verdict:
        """The Verdict on what happened so far."""

    def state(self) -> object:
        """The hidden state, for people who watch."""

    def record(self) -> object:
        """
        The episode as a dictionary, from which `resume` brings it back in any process.
        """

def resume(record: object) -> Episode:
    """The episode of an `Episode.record`, as it stood."""

class Curriculum:
    def __init__(self, suite: object, settings: dict, prompt: str, tolerant: bool) -> None: ...

    def next_batch(self, count: int) -> list[Problem]: ...

    def update(self, problems: Sequence[Problem], solved: Sequence[bool], end_step: bool) -> int: ...

    def levels(self) -> dict: ...

    def state(self) -> object: ...

    def load(self, state: object) -> None: ...

    @property
    def suite(self) -> Suite: ...

    @property
    def drawn(self) -> int: ...

class Outcome:
    """What became of a program, or of one call into it."""

    @property
    def status(self) -> str:
        """ok, error, timeout, cpu, memory, output_limit, refused or crashed."""

    @property
    def ok(self) -> bool: ...

    @property
    def value(self) -> object:
        """repr() of the value of a call."""

    @property
    def result(self) -> object:
        """The value itself, where JSON has a form for it; else None."""

    @property
    def stdout(self) -> object: ...

    @property
    def stderr(self) -> object: ...

    @property
    def exception(self) -> object:
        """Its type's name, or ""."""

    @property
    def message(self) -> object: ...

    @property
    def traceback(self) -> object:
        """Lines of the program only."""

    @property
    def line(self) -> int:
        """Where in the program the exception arose; 0: unknown."""

    @property
    def exit_code(self) -> int: ...

    @property
    def files(self) -> dict:
        """Those that were fetched: name to bytes."""

    @property
    def wall_seconds(self) -> float: ...

    @property
    def cpu_seconds(self) -> float: ...

    @property
    def peak_bytes(self) -> int: ...

    def __repr__(self) -> str: ...

class Sandbox:
    def __init__(self, workers: int, require: str, worker: str, packages: str) -> None: ...

    def run(self, requests: list) -> list[list[Outcome]]: ...

    def map(self, request: object, function: str, arguments: list, share: int) -> list[Outcome]: ...

    def close(self) -> None: ...

    def layers(self) -> list: ...

    @property
    def workers(self) -> int: ...

def own_env(environment: object) -> Env: ...

def register_env(env: Env) -> None: ...

def forget_env(name: str) -> bool: ...

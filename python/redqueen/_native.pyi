"""
The engine; use the package redqueen, which has its functions with defaults.
"""

from collections.abc import Coroutine, Iterator, Sequence
import os
from typing import Annotated, Any, overload

import numpy
from numpy.typing import NDArray


class Error(Exception):
    """
    What failed, in the engine's words: the request was sound, the work was not done.
    """

class UsageError(Error, ValueError):
    """A request that can never succeed as it is."""

def set_package_folder(folder: str | os.PathLike) -> None: ...

def after_fork() -> None: ...

class Verdict:
    """
    What a response earned.

    A reward just below 1 is not solved: compare `solved`, not `reward`, which
    single precision would round up to 1.

    >>> rq.Verdict(1 - 2**-53, False).info
    {'reward': 0.9999999999999999, 'solved': False, 'well_formed': True}
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
    def info(self) -> dict[str, Any]:
        """These three as a dictionary, for logs."""

    def __eq__(self, arg: object, /) -> bool: ...

    def __hash__(self) -> int: ...

    def __repr__(self) -> str: ...

class Env:
    """
    An environment: it makes problems, of which each scores responses.

    >>> env = rq.make("Sorting")
    >>> env, env.name, env.max_level
    (<Env Sorting>, 'Sorting', ...)
    >>> env.generate(level=3, seed=0).address
    'Sorting@1/3/0/s1'
    """

    @property
    def name(self) -> str:
        """By which `make`, suites and addresses know it."""

    @property
    def max_level(self) -> int:
        """The highest level; the lowest is 0."""

    def describe(self) -> dict[str, Any]:
        """The environment's card, as a dictionary."""

    def generate(self, level: int = 0, seed: int = 0, split: str | int = 'train') -> Problem:
        """
        The problem of this level and seed, the same on every machine.

        split: "train", "test" (the problems that evaluation asks), or a number: problems
        of different splits share no randomness. Raises Error where none can be made.
        """

    def restore(self, parameter: Any) -> Problem:
        """The problem of a `Problem.parameter`, whoever wrote that."""

    def __repr__(self) -> str: ...

class Problem:
    """
    One problem. Immutable; may be used from several threads at once.

    >>> problem = rq.make("Sorting").generate(level=2, seed=5, split="test")
    >>> problem.environment, problem.level, problem.seed, problem.split
    ('Sorting', 2, 5, 'test')
    >>> problem.score(f"<answer>{problem.reference}</answer>").solved
    True
    >>> problem.score(problem.reference, raw=True).reward
    1.0
    """

    @property
    def prompt(self) -> str:
        """The text for the policy: the statement, and how to mark the answer."""

    @property
    def statement(self) -> str:
        """The statement alone."""

    @property
    def messages(self) -> list[dict[str, Any]]:
        """What a chat begins with: a list of {"role", "content"}."""

    @property
    def tools(self) -> list[dict[str, Any]]:
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
    def environment(self) -> str:
        """The name of its environment."""

    @property
    def level(self) -> int | None:
        """
        How difficult it is, from 0 to the environment's `max_level`; None where it came from a
        parameter.
        """

    @property
    def seed(self) -> int | None:
        """
        Which of its level's problems it is, from 0 on; None where it came from a parameter.
        """

    @property
    def split(self) -> str | None:
        """"train" or "test"; None where it came from a parameter."""

    @property
    def parameter(self) -> Any:
        """
        What the problem is made of; it may hold the answer, so no policy should see it.
        """

    @property
    def reference(self) -> str:
        """The text of a right answer."""

    def score(self, text: str, raw: bool = False) -> Verdict:
        """
        The Verdict on a response. raw: the text is the bare answer, without marks.
        """

    def start(self) -> Episode:
        """
        Starts an Episode. The policy sees `Episode.observation` and takes turns by `Episode.step`.
        """

    def ascore(self, text: str, raw: bool = False) -> Coroutine[Any, Any, Verdict]:
        """The same in a thread of its own; to be awaited."""

    def __repr__(self) -> str: ...

class Suite:
    """
    A set of environments, weighted for training's draws.

    >>> suite = rq.load_suite(["Sorting", "held-out"])
    >>> suite, suite.environments[0], suite.weights[:2]
    (<Suite Sorting,held-out of 51 environments>, <Env Sorting>, [1.0, 0.02])
    """

    @property
    def name(self) -> str:
        """Its own name, or those of its parts with commas between."""

    @property
    def environments(self) -> list[Env]:
        """A list of Env, each asked in the format "plain"."""

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

def make(name: object | None, prompt: str | None, tolerant: bool | None) -> Env: ...

def load_suite(name: object | None) -> Suite: ...

@overload
def asked_of(env: Env) -> tuple[str, str, str, bool, bool]: ...

@overload
def asked_of(problem: Problem) -> tuple[str, str, str, bool, bool]: ...

def env_of(name: str, file: str, prompt: str, boxed: bool, tolerant: bool) -> Env: ...

def problem_of(env: Env, address: str) -> Problem: ...

def suite_of(name: str, environments: Sequence[Env], weights: Sequence[float], missing: Sequence[str], levels: Sequence[int], problems: int) -> Suite: ...

def restore(address: str | None, prompt: str | None, tolerant: bool | None) -> Problem: ...

class Verdicts:
    """
    A sequence of Verdict, in the order of the responses.

    >>> verdicts = rq.score_many(["Sorting@1/0/5"] * 2, ["no idea", "<answer>1</answer>"])
    >>> verdicts.rewards, verdicts.well_formed, len(verdicts)
    (array([-1. , -0.5]), array([False,  True]), 2)
    """

    def __len__(self) -> int: ...

    @overload
    def __getitem__(self, places: slice) -> Verdicts: ...

    @overload
    def __getitem__(self, index: int) -> Verdict: ...

    def __repr__(self) -> str: ...

    def __iter__(self) -> Iterator[Verdict]: ...

    @property
    def rewards(self) -> Annotated[NDArray[numpy.float64], dict(shape=(None,))]:
        """float64 array of shape (n,), each in [-1, 1]."""

    @property
    def solved(self) -> Annotated[NDArray[numpy.bool_], dict(shape=(None,))]:
        """bool array of shape (n,)."""

    @property
    def well_formed(self) -> Annotated[NDArray[numpy.bool_], dict(shape=(None,))]:
        """bool array of shape (n,)."""

def verdicts_of(rewards: Sequence[float], solved: Sequence[bool], well_formed: Sequence[bool]) -> Verdicts: ...

def generate_many(suite: object | None, levels: Sequence[int], seeds: Sequence[int], split: object | None, prompt: str | None, tolerant: bool | None, allow_missing: bool | None, threads: int) -> list: ...

def restore_many(addresses: list, prompt: str | None, tolerant: bool | None, threads: int) -> list: ...

def score_many(problems: list, texts: list, prompt: str | None, tolerant: bool | None, raw: bool | None, threads: int) -> Verdicts: ...

class Episode:
    """
    One run through a problem: observations, turns, a verdict. Not for sharing between threads.

    >>> problem = rq.make("Sorting").generate(seed=3)
    >>> episode = problem.start()
    >>> episode.observation == problem.messages, episode.done
    (True, False)
    >>> episode.step(f"<answer>{problem.reference}</answer>")
    ([], 1.0, True, False, {})
    >>> episode.turns, episode.verdict().solved
    (1, True)
    """

    @property
    def observation(self) -> list[dict[str, Any]]:
        """
        The messages that are new since the last turn: a list of {"role", "content", …}.
        """

    @property
    def tools(self) -> list[dict[str, Any]]:
        """The tools on offer: a list of {"name", "description", "parameters"}."""

    @property
    def problem(self) -> Problem:
        """The Problem that is played."""

    @property
    def done(self) -> bool:
        """Whether it has ended: terminated or truncated."""

    @property
    def turns(self) -> int:
        """How many turns the policy has taken."""

    def step(self, action: str | dict[str, Any]) -> tuple[list[dict[str, Any]], float, bool, bool, dict[str, Any]]:
        """
        Takes a turn; returns (observation, reward, terminated, truncated, info).

        action: the text that the policy wrote, in which calls of tools are found; or an
        assistant's message, {"content", "tool_calls"}. The rewards of an episode add up to
        that of its verdict. `info` is for records, not for the policy.
        """

    def astep(self, action: str | dict[str, Any]) -> Coroutine[Any, Any, tuple[list[dict[str, Any]], float, bool, bool, dict[str, Any]]]:
        """The same in a thread of its own; to be awaited."""

    def verdict(self) -> Verdict:
        """The Verdict on what happened so far."""

    def state(self) -> Any:
        """The hidden state, for people who watch."""

    def record(self) -> dict[str, Any]:
        """
        The episode as a dictionary, from which `resume` brings it back in any process.
        """

def resume(record: dict[str, Any]) -> Episode:
    """The episode of an `Episode.record`, as it stood."""

class Curriculum:
    def __init__(self, suite: object | None, settings: dict, prompt: str | None, tolerant: bool | None) -> None: ...

    def next_batch(self, count: int) -> list[Problem]: ...

    def update(self, problems: list, solved: Sequence[bool], end_step: bool | None) -> int: ...

    def levels(self) -> dict[str, tuple[int, int]]: ...

    def state(self) -> dict[str, Any]: ...

    def load(self, state: dict[str, Any] | None) -> None: ...

    @property
    def suite(self) -> Suite: ...

    @property
    def drawn(self) -> int: ...

class Outcome:
    """
    What became of a program, or of one call into it.

    >>> with rq.Sandbox(workers=1, require="standard") as sandbox:
    ...     outcome = sandbox.run("def f(x): return 1 / x", call="f(0)")
    >>> outcome.status, outcome.ok, outcome.exception, outcome.message
    ('error', False, 'ZeroDivisionError', 'division by zero')
    """

    @property
    def status(self) -> str:
        """ok, error, timeout, cpu, memory, output_limit, refused or crashed."""

    @property
    def ok(self) -> bool:
        """Whether the status is ok: it ran to its end."""

    @property
    def value(self) -> str:
        """repr() of the value of a call."""

    @property
    def result(self) -> Any:
        """The value itself, where JSON has a form for it; else None."""

    @property
    def stdout(self) -> str:
        """What it printed."""

    @property
    def stderr(self) -> str:
        """What it printed to sys.stderr."""

    @property
    def exception(self) -> str:
        """Its type's name, or ""."""

    @property
    def message(self) -> str:
        """What is wrong, in a sentence: the exception's, or the sandbox's."""

    @property
    def traceback(self) -> str:
        """Lines of the program only."""

    @property
    def line(self) -> int:
        """Where in the program the exception arose; 0: unknown."""

    @property
    def exit_code(self) -> int:
        """
        That of a program without calls: what it left with; 1 after an exception.
        """

    @property
    def files(self) -> dict[str, bytes]:
        """Those that were fetched: name to bytes."""

    @property
    def wall_seconds(self) -> float:
        """Seconds of the clock that it took."""

    @property
    def cpu_seconds(self) -> float:
        """Seconds of CPU that it took; some kernels count in steps of 0.01."""

    @property
    def peak_bytes(self) -> int:
        """
        Bytes of memory that its process held at most, the interpreter's own included.
        """

    def __repr__(self) -> str: ...

def state_of(outcome: Outcome) -> tuple: ...

def outcome_of(status: int, texts: Sequence[str], files: Sequence[tuple[str, bytes]], exit_code: int, line: int, wall_seconds: float, cpu_seconds: float, peak_bytes: int) -> Outcome: ...

def sandbox_limits() -> dict[str, str]: ...

class CallOff:
    def __init__(self) -> None: ...

    def ask(self) -> None: ...

class Sandbox:
    def __init__(self, workers: int, require: str, worker: str, packages: str) -> None: ...

    def run(self, requests: list, call_off: CallOff | None = None) -> list[list[Outcome]]: ...

    def map(self, request: object, function: str, arguments: list, share: int, call_off: CallOff | None = None) -> list[Outcome]: ...

    def close(self) -> None: ...

    def layers(self) -> list[tuple[str, str]]: ...

    @property
    def workers(self) -> int: ...

def own_env(environment: object) -> Env: ...

def register_env(env: Env, definition: str) -> None: ...

def forget_env(name: str | None) -> bool: ...

def validate(sources: Sequence[str], salt: int, layer_seconds: float, strict_words: bool) -> list[dict[str, Any]]: ...

def python_block(response: str) -> str | None: ...

def novelty_text(source: str) -> tuple[str, str]: ...

class NoveltyArchive:
    def __init__(self) -> None: ...

    def add(self, names: Sequence[str], rows: Annotated[NDArray[numpy.float32], dict(shape=(None, None), order='C', device='cpu', writable=False)]) -> None: ...

    def assess(self, rows: Annotated[NDArray[numpy.float32], dict(shape=(None, None), order='C', device='cpu', writable=False)], prompt_share: float, duplicate: float) -> list[tuple[float, float, int | None]]: ...

    def save(self, file: str | os.PathLike) -> None: ...

    @staticmethod
    def load(file: str | os.PathLike) -> NoveltyArchive: ...

    @property
    def names(self) -> list[str]: ...

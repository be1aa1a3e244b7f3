"""Environments of one's own, written in Python."""

from __future__ import annotations

import inspect
import typing
from collections.abc import Callable
from random import Random

from . import _native
from ._native import Env, Verdict
from ._types import EnvironmentSettings

if typing.TYPE_CHECKING:
    from typing_extensions import Unpack


class Environment:
    """The base class of own environments: three methods, and a fourth for those who have a right answer.

    What `generate` gives is the problem: numbers, texts, lists and dictionaries, as JSON has them; a tuple becomes a list.
    A copy of it is all that the other methods get, so a problem can be stored and scored later, by another process. They run in this process: code
    that you do not trust belongs into a file of its own, which `make` and `load_suite` run in the sandbox.

    >>> class Sums(rq.Environment):
    ...     def generate(self, level, rng):
    ...         return {"a": rng.randrange(10 ** (level + 1)), "b": rng.randrange(10 ** (level + 1))}
    ...     def prompt(self, parameter):
    ...         return f"What is {parameter['a']} + {parameter['b']}?"
    ...     def score(self, parameter, answer):
    ...         return answer == str(parameter["a"] + parameter["b"])
    ...     def reference(self, parameter):
    ...         return str(parameter["a"] + parameter["b"])
    >>> problem = Sums().env().generate(level=1, seed=0)
    >>> problem.score(f"<answer>{problem.reference}</answer>").reward
    1.0
    """

    name: str = ""  # by default that of the class
    task: str = ""
    levels: str = ""
    rewards: str = ""
    version: int = 1  # to be raised whenever a problem or a score changes
    max_level: int = 100
    passing: float = 1.0  # the reward from which an answer counts as right

    _env: Env | None = None

    def __init_subclass__(cls, **settings: typing.Any) -> None:
        super().__init_subclass__(**settings)
        if not cls.__dict__.get("name"):
            cls.name = cls.__name__

    def generate(self, level: int, rng: Random) -> typing.Any:
        """The parameter of a problem, drawn with `rng`; None: try again with other numbers."""
        raise NotImplementedError

    def prompt(self, parameter: typing.Any) -> str:
        """The statement, with the form of the answer in words, but not how to mark it."""
        raise NotImplementedError

    def score(self, parameter: typing.Any, answer: str) -> float | bool | Verdict:
        """What the text of an answer earns: a number from -1 to 1, a truth value, or a Verdict."""
        raise NotImplementedError

    def reference(self, parameter: typing.Any) -> str:
        """The text of a right answer; "" where none is known."""
        return ""

    def env(self) -> Env:
        """This environment as `make` gives those of the package. The same Env every time."""
        if self._env is None:
            self._env = _native.own_env(self)
        return self._env

    def _definition(self) -> str:
        """The code that it is of, whichever time that ran."""
        return f"{type(self).__module__}.{type(self).__qualname__}"

    __redqueen_env__ = env


_Class = typing.TypeVar("_Class", bound=type[Environment])
_Makes: typing.TypeAlias = Callable[[int, Random], "tuple[str, typing.Any] | None"]
_Scores: typing.TypeAlias = Callable[[str, typing.Any], "float | bool | Verdict"]


class _Function(Environment):
    """An environment that is one function; see `environment`."""

    name = "function"

    def __init__(self, function: _Makes, score: _Scores | None, settings: EnvironmentSettings) -> None:
        self.name = getattr(function, "__name__", type(function).__name__)
        self.task = inspect.cleandoc(function.__doc__ or "")
        for key, value in settings.items():
            if key not in ("name", "task", "levels", "rewards", "version", "max_level", "passing"):
                raise _native.UsageError(f"an environment has no setting {key!r}")
            setattr(self, key, value)
        self._code = f"{getattr(function, '__module__', '')}.{getattr(function, '__qualname__', self.name)}"
        self._function = function
        self._score = score
        self.__doc__ = function.__doc__

    def __call__(self, level: int, rng: Random) -> typing.Any:
        return self._function(level, rng)

    def _definition(self) -> str:
        return self._code

    def generate(self, level: int, rng: Random) -> typing.Any:
        made = self._function(level, rng)
        if made is None:
            return None
        if not isinstance(made, tuple) or len(made) != 2 or not isinstance(made[0], str):
            raise _native.UsageError(f"{self.name}: the function gives (prompt, answer), and not {made!r}")
        return {"prompt": made[0], "answer": made[1]}

    def prompt(self, parameter: typing.Any) -> str:
        return parameter["prompt"]

    def score(self, parameter: typing.Any, answer: str) -> float | bool | Verdict:
        if self._score is not None:
            return self._score(answer, parameter["answer"])
        return answer.strip() == str(parameter["answer"])

    def reference(self, parameter: typing.Any) -> str:
        return str(parameter["answer"])


_Own = typing.TypeVar("_Own", bound=Environment)


def register(environment: _Own) -> _Own:
    """Adds an own environment to those that go by their name: in `make`, `list`, suites, curricula, addresses.

    The same class defined or registered again, as when a notebook's cell runs a second time, takes the place of what it
    made before. A name that anything else has is refused, and `forget` frees it.

    >>> class Echo(rq.Environment):
    ...     def generate(self, level, rng): return rng.randrange(10)
    ...     def prompt(self, number): return f"Say {number}."
    ...     def score(self, number, answer): return answer == str(number)
    >>> echo = rq.register(Echo())
    >>> rq.make("Echo").generate(seed=1).score("<answer>no</answer>").solved
    False
    >>> rq.forget("Echo")
    True
    """
    if not isinstance(environment, Environment):
        instance = isinstance(environment, type) and issubclass(environment, Environment)
        what = f"the class {environment.__name__}; pass an instance, {environment.__name__}()" if instance else repr(environment)
        raise _native.UsageError(f"register takes an instance of a class that derives from redqueen.Environment, and not {what}")
    _native.register_env(environment.env(), environment._definition())
    return environment


def forget(name: str) -> bool:
    """Takes back the name of an own environment, or of one that was loaded from a file; False: there was none. Its
    problems stay what they are; their addresses mean nothing any more.

    >>> rq.forget("nothing of this name")
    False
    """
    return _native.forget_env(name)


class _Decorator(typing.Protocol):
    @typing.overload
    def __call__(self, definition: _Class) -> _Class: ...
    @typing.overload
    def __call__(self, definition: _Makes) -> _Function: ...


@typing.overload
def environment(definition: _Class, *, score: None = None, **settings: Unpack[EnvironmentSettings]) -> _Class: ...


@typing.overload
def environment(
    definition: _Makes, *, score: _Scores | None = None, **settings: Unpack[EnvironmentSettings]
) -> _Function: ...


@typing.overload
def environment(
    definition: None = None, *, score: _Scores | None = None, **settings: Unpack[EnvironmentSettings]
) -> _Decorator: ...


def environment(
    definition: _Makes | type[Environment] | None = None,
    *,
    score: _Scores | None = None,
    **settings: Unpack[EnvironmentSettings],
) -> typing.Any:
    """Makes a function, or a subclass of Environment, an environment that goes by its name.

    The function takes a level and a random.Random and gives the prompt and the right answer; another answer is wrong,
    unless `score(answer, right)` says what it earns. settings: name, task, levels, rewards, version, max_level,
    passing.

    >>> @rq.environment
    ... def doubles(level, rng):
    ...     number = rng.randrange(10 ** (level + 1))
    ...     return f"Twice {number}?", 2 * number
    >>> problem = rq.make("doubles").generate(level=1, seed=3)
    >>> problem.score(f"<answer>{problem.reference}</answer>").solved
    True
    >>> rq.forget("doubles")
    True
    """
    if definition is None:
        return lambda later: environment(later, score=score, **settings)
    if isinstance(definition, type):
        if not issubclass(definition, Environment):
            raise _native.UsageError(f"{definition.__name__} does not derive from redqueen.Environment")
        if score is not None:
            raise _native.UsageError("a class has a method score(); the argument is for functions")
        for key, value in settings.items():
            setattr(definition, key, value)
        register(definition())
        return definition
    if not callable(definition):
        raise _native.UsageError(f"environment takes a function or a class that derives from redqueen.Environment, and not {definition!r}")
    return register(_Function(definition, score, settings))

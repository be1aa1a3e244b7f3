"""What a client of servers holds: problems, episodes, environments and suites, with the members of the package's own.

None of them has an answer in it: a problem is its address, an episode its token, and every question goes to a server.
"""
from __future__ import annotations

import asyncio
import json
import typing
from collections.abc import Sequence
from dataclasses import dataclass, field

from ._native import Error, UsageError
from ._types import Client

_OPENING = "<answer>"
_LONGEST_RESPONSE = 1 << 20  # bytes, as the engine has it: a longer response is malformed, wherever it ends
MOST_CHARACTERS = _LONGEST_RESPONSE + 1


class ServerError(Error):
    """A server's refusal; `status` is that of HTTP, 0 where no server answered."""

    def __init__(self, message: str, status: int = 0):
        super().__init__(message)
        self.status = status


class RequestError(ServerError, UsageError):
    """A request that can never succeed as it is: an unknown name, a level that does not exist, a body that is too large."""


@dataclass(frozen=True, slots=True)
class Verdict:
    """A response's score. `solved` travels beside the reward: a float32 could not tell 1 from almost 1."""

    reward: float
    solved: bool
    well_formed: bool = True

    @property
    def info(self) -> dict:
        """These three as a dictionary, for logs."""
        return {"reward": self.reward, "solved": self.solved, "well_formed": self.well_formed}

    @classmethod
    def of(cls, row: dict) -> Verdict:
        """That of a server's answer."""
        return cls(row["reward"], row["solved"], row["well_formed"])


class Verdicts(list):
    """Verdicts in the order of the responses; their parts are arrays of NumPy, one element a response."""

    @property
    def rewards(self) -> typing.Any:
        """float64 array of shape (n,), each in [-1, 1]."""
        return self._array("reward", "float64")

    @property
    def solved(self) -> typing.Any:
        """bool array of shape (n,)."""
        return self._array("solved", "bool")

    @property
    def well_formed(self) -> typing.Any:
        """bool array of shape (n,)."""
        return self._array("well_formed", "bool")

    @typing.overload
    def __getitem__(self, index: typing.SupportsIndex) -> Verdict: ...

    @typing.overload
    def __getitem__(self, index: slice) -> Verdicts: ...

    def __getitem__(self, index: typing.Any) -> typing.Any:
        found = super().__getitem__(index)
        return Verdicts(found) if isinstance(index, slice) else found

    def _array(self, name: str, kind: str) -> typing.Any:
        import numpy

        return numpy.array([getattr(verdict, name) for verdict in self], dtype=kind)


@dataclass(frozen=True, slots=True)
class Format:
    """How problems are asked and their answers read; `prompt` is a format's name or a template."""

    prompt: str = "plain"
    tolerant: bool = False
    fields: dict = field(init=False, repr=False, compare=False)  # what a request for scores says of it
    opening: str = field(init=False, repr=False, compare=False)  # with which the prompt begins the response

    def __post_init__(self) -> None:
        boxed = self.prompt in ("boxed", "chatml") or "\\boxed" in self.prompt
        reading = {"reading": "tolerant"} if self.tolerant else {}
        object.__setattr__(self, "fields", {**({"marker": "boxed"} if boxed else {}), **reading})
        is_open = self.prompt == "terse" or self.prompt.endswith(_OPENING)
        object.__setattr__(self, "opening", _OPENING if is_open else "")


PLAIN = Format()


class Problem:
    """A problem as a server shows it. Neither answer nor parameter come with it; an administrator's client may ask for them."""

    __slots__ = ("_client", "_format", "_row", "_details", "address", "environment", "level", "seed", "split", "prompt")

    def __init__(self, client: Client, row: dict, format: Format = PLAIN, parameter: typing.Any = None):
        self._client, self._format = client, format
        self.address: str | None = row.get("address")
        self.environment: str = row["environment"]
        self.level: int | None = row.get("level")
        self.seed: int | None = row.get("seed")
        self.split: str | None = row.get("split")
        self.prompt: str = row["prompt"]
        # What names it in a request.
        self._row: dict = {"address": self.address} if self.address else {"environment": self.environment, "parameter": parameter}
        self._details: dict | None = row if "statement" in row else None

    @property
    def statement(self) -> str:
        """The statement alone."""
        return self._detail("statement")

    @property
    def messages(self) -> list[dict]:
        """What a chat begins with: a list of {"role", "content"}."""
        return self._detail("messages")

    @property
    def tools(self) -> list[dict]:
        """The tools that are offered: a list of {"name", "description", "parameters"}."""
        return self._detail("tools")

    @property
    def max_turns(self) -> int:
        """Turns after which an episode is cut off; 1 where there is one question and one answer."""
        return self._detail("max_turns")

    @property
    def parameter(self) -> typing.Any:
        """What the problem is made of. Servers tell it to their administrator alone."""
        return self._ask(references=True)["parameter"]

    @property
    def reference(self) -> str:
        """The text of a right answer. Servers tell it to their administrator alone."""
        return self._ask(references=True)["reference"]

    def score(self, text: str, raw: bool = False) -> Verdict:
        """The verdict on one response; many at once go faster with `score_many`. `raw`: the text is the bare answer."""
        return self._client.score_many([self], [text], raw=raw)[0]

    async def ascore(self, text: str, raw: bool = False) -> Verdict:
        """The same in a thread of its own; to be awaited."""
        return await asyncio.to_thread(self.score, text, raw)

    def start(self) -> Episode:
        """Opens an episode: the policy's turns, one after another. An environment without tools has one turn."""
        if self.address is None:
            raise UsageError("a server's episode is named by its problem's address, and this problem came from a parameter")
        reading = {"reading": "tolerant"} if self._format.tolerant else {}
        body = {"address": self.address, "prompt": self._format.prompt, **reading}
        return Episode(self._client, self._client._ask("POST", "/v1/episodes", body), self)

    def _ask(self, **settings: typing.Any) -> dict:
        named = {"addresses": [self.address]} if self.address else self._row
        return self._client._ask_rows({**named, "prompt": self._format.prompt, **settings})[0]

    def _detail(self, key: str) -> typing.Any:
        if self._details is None:
            self._details = self._ask(details=True)
        return self._details[key]

    def __repr__(self) -> str:
        return f"<Problem {self.address or f'of {self.environment}, restored from its parameter'}>"


class Episode:
    """A problem that is played turn by turn. Its token holds all of it, so that any replica takes the next turn."""

    def __init__(self, client: Client, answer: dict, problem: Problem | None = None):
        self._client, self._problem = client, problem
        self.tools: list[dict] = []
        self._take(answer)

    def _take(self, answer: dict) -> None:
        self._token: str = answer["episode"]
        self.address: str = answer["address"]
        self.observation: list[dict] = answer["observation"]["messages"]
        self.tools = answer["observation"].get("tools") or self.tools  # named where they change
        self.turns: int = answer["turns"]
        self.done: bool = answer["done"]
        self._verdict = Verdict.of(answer["verdict"]) if "verdict" in answer else None

    @property
    def problem(self) -> Problem:
        """The Problem that is played."""
        if self._problem is None:
            record = self.record()
            self._problem = self._client.restore(self.address, prompt=record["format"], tolerant=record.get("reading") == "tolerant")
        return self._problem

    def step(self, action: object) -> tuple[list[dict], float, bool, bool, dict]:
        """Takes a turn.

        Args:
            action: the policy's text, in which the server finds the calls of tools, or an assistant's message, which names
                its own: `{"content": …, "tool_calls": [{"name": …, "arguments": {…}}]}`, or the calls as OpenAI's protocol
                has them.

        Returns:
            observation (the messages that answer), reward of this turn, terminated, truncated, info (the administrator's alone).
        """
        answer = self._client._ask("POST", "/v1/episodes/step", {"episode": self._token, "action": _action(action)})
        self._take(answer)
        seen = answer["observation"]
        return self.observation, float(seen.get("reward", 0.0)), seen["terminated"], seen["truncated"], seen.get("info", {})

    async def astep(self, action: object) -> tuple[list[dict], float, bool, bool, dict]:
        """The same in a thread of its own; to be awaited."""
        return await asyncio.to_thread(self.step, action)

    def verdict(self) -> Verdict:
        """The verdict on what happened so far. Before the end servers tell it to their administrator alone."""
        if self._verdict is not None:
            return self._verdict
        state = self._ask_state()
        if "verdict" not in state:
            raise ServerError("this episode has not ended, so there is no verdict yet; how it goes, only the administrator's token sees")
        return Verdict.of(state["verdict"])

    def state(self) -> typing.Any:
        """The hidden state, for people who watch. Servers tell it to their administrator alone."""
        state = self._ask_state()
        if "hidden" not in state:
            raise ServerError("an episode's hidden state is told to the administrator's token alone", 403)
        return state["hidden"]

    def record(self) -> dict:
        """The episode as a dictionary, from which `resume` brings it back, here or in the package."""
        return self._ask_state()["record"]

    def _ask_state(self) -> dict:
        return self._client._ask("POST", "/v1/episodes/state", {"episode": self._token})

    def __repr__(self) -> str:
        return f"<Episode of {self.address}, {self.turns} turns>"


class Env:
    """One environment of the servers."""

    def __init__(self, client: Client, name: str, format: Format = PLAIN, card: dict | None = None):
        self._client, self.name, self._format, self._card = client, name, format, card

    @property
    def max_level(self) -> int:
        """The highest level; the lowest is 0."""
        return self.describe()["max_level"]

    def describe(self) -> dict:
        """The environment's card."""
        if self._card is None:
            self._card = self._client.describe(self.name)
        return self._card

    def generate(self, level: int = 0, seed: int = 0, split: str | int = "train") -> Problem:
        """The problem of this level and seed, the same on every machine.

        split: "train", "test" (the problems that evaluation asks), or a number: problems of different splits share no
            randomness.
        """
        body = {"environment": self.name, "level": level, "seed": seed, "split": split_text(split), "prompt": self._format.prompt}
        return Problem(self._client, self._client._ask_rows(body)[0], self._format)

    def restore(self, parameter: typing.Any) -> Problem:
        """The problem of a `Problem.parameter`, whoever wrote that."""
        body = {"environment": self.name, "parameter": parameter, "prompt": self._format.prompt}
        return Problem(self._client, self._client._ask_rows(body)[0], self._format, parameter)

    def __repr__(self) -> str:
        return f"<Env {self.name}>"


@dataclass(frozen=True)
class Suite:
    """A set of environments, weighted for training's draws."""

    name: str
    environments: list[Env]
    weights: list[float] = field(default_factory=list)  # as `environments`; empty: all the same
    missing: list[str] = field(default_factory=list)  # listed, but not of the server's build
    levels: list[int] = field(default_factory=list)  # what it is evaluated on; empty: up to the caller
    problems: int = 0  # of an environment in its evaluation; 0: up to the caller

    @classmethod
    def joined(cls, parts: Sequence[Suite]) -> Suite:
        """Each part has the weight 1, which its environments share; one that two parts have gets the weight of both."""
        weights: dict[str, float] = {}
        envs: dict[str, Env] = {}
        for part in parts:
            total = sum(part.weights)
            for i, env in enumerate(part.environments):
                share = part.weights[i] / total if part.weights else 1.0 / len(part.environments)
                weights[env.name] = weights.get(env.name, 0.0) + share
                envs.setdefault(env.name, env)
        uneven = len({*weights.values()}) > 1
        return cls(",".join(part.name for part in parts), [*envs.values()], [*weights.values()] if uneven else [],
                   [name for part in parts for name in part.missing])

    def __len__(self) -> int:
        return len(self.environments)

    def __repr__(self) -> str:
        return f"<Suite {self.name} of {len(self)} environments>"


def address_of(item: typing.Any, function: str, place: int) -> str | None:
    """The address of a problem, or the text itself; None for a problem that came from a parameter."""
    if isinstance(item, str):
        return item
    if not hasattr(item, "address"):
        raise TypeError(f"{function}: problems or their addresses (str), and item {place} is {item!r}")
    return item.address


def split_text(split: str | int) -> str:
    """A split as servers are asked for it."""
    if split in ("train", "test") or isinstance(split, int) and not isinstance(split, bool) and split > 0:
        return str(split)
    raise UsageError(f'split: there are "train", "test", and numbers above 0, not {split!r}')


def _action(given: object) -> object:
    """An assistant's message in the server's form: `text`, and calls with their arguments as objects."""
    if not isinstance(given, dict):
        return given
    message = dict(given)
    if "content" in message and "text" not in message:
        message["text"] = message["content"] if message["content"] is not None else ""
    if isinstance(message.get("tool_calls"), list):
        message["tool_calls"] = [_call(call) for call in message["tool_calls"]]
    return message


def _call(given: object) -> object:
    if not isinstance(given, dict):
        return given
    call = given
    if isinstance(given.get("function"), dict):
        call = {**given["function"], **({"id": given["id"]} if "id" in given else {})}
    if isinstance(call.get("arguments"), str):
        try:
            return {**call, "arguments": json.loads(call["arguments"])}
        except ValueError:
            pass  # the assistant's fault, which the environment answers
    return call

"""A client of `redqueen serve` with the names of the package itself, in pure Python and the standard library alone.

    >>> import redqueen
    >>> rq = redqueen.connect(["http://127.0.0.1:8000"])         # doctest: +SKIP
    >>> problem = rq.make("Sorting").generate(level=3, seed=0)   # doctest: +SKIP
    >>> problem.score("<answer>1 2 3</answer>").reward           # doctest: +SKIP
    -1.0

What works on `redqueen` works on the client: `list`, `describe`, `make`, `restore`, `generate_many`, `score_many`,
`dataset`, `Curriculum`, and `start` of a problem. A problem is its address, so that any server of the same version scores
any response: a request that fails is sent to the next one. A curriculum has one owner, and what it is told counts once
however often it is sent.
"""
from __future__ import annotations

import asyncio
import concurrent.futures
import itertools
import os
import threading
import uuid
from dataclasses import dataclass, field
from typing import Any, Iterable, Iterator, List, Sequence  # List: inside Client, `list` is a method
from urllib.parse import quote

from . import _solved
from ._native import Error
from .replicas import Refused, Replicas, Unavailable

_MOST_ITEMS = 4096  # of a request, as the server has it
_ITEMS_AT_ONCE = 512  # so that several replicas share a batch
_BYTES_AT_ONCE = 16 << 20
_PROBLEMS_AT_ONCE = 256
_MOST_THREADS = 16
_OPENING = "<answer>"


class ServerError(Error):
    """A server's refusal; `status` is that of HTTP, 0 where no server answered."""

    def __init__(self, message: str, status: int = 0):
        super().__init__(message)
        self.status = status


@dataclass(frozen=True, slots=True)
class Verdict:
    """A response's score. `solved` travels beside the reward: a float32 could not tell 1 from almost 1."""

    reward: float
    solved: bool
    well_formed: bool
    info: dict = field(default_factory=dict, compare=False)


class Verdicts(list):
    """Verdicts in the order of the responses; their parts are arrays of NumPy, one element a response."""

    @property
    def rewards(self) -> Any:
        return self._array("reward", "float64")

    @property
    def solved(self) -> Any:
        return self._array("solved", "bool")

    @property
    def well_formed(self) -> Any:
        return self._array("well_formed", "bool")

    def _array(self, name: str, kind: str) -> Any:
        import numpy

        return numpy.array([getattr(verdict, name) for verdict in self], dtype=kind)


class Problem:
    """A problem as the server shows it: its address is all that it is, and neither answer nor parameter come with it."""

    __slots__ = ("_client", "_how", "address", "environment", "level", "seed", "split", "prompt")

    def __init__(self, client: Client, row: dict, how: dict | None = None):
        self._client, self._how = client, how or {}
        self.address: str = row["address"]
        self.environment: str = row["environment"]
        self.level: int = row["level"]
        self.seed: int | None = row.get("seed")
        self.split: str = row.get("split", "train")
        self.prompt: str = row["prompt"]

    @property
    def messages(self) -> list[dict]:
        return [{"role": "user", "content": self.prompt}]

    def score(self, text: str, raw: bool = False) -> Verdict:
        """The verdict on one response; many at once go faster with `score_many`. `raw`: the text is the bare answer."""
        how = {**self._how, "raw": True} if raw else self._how
        return self._client._score_block([{"address": self.address, "response": text if raw else _response(self, text)}], how)[0]

    async def ascore(self, text: str) -> Verdict:
        return await asyncio.to_thread(self.score, text)

    def start(self) -> Episode:
        """Opens an episode: the policy's turns, one after another. An environment without tools has one turn."""
        return Episode(self._client, {"address": self.address})

    def __repr__(self) -> str:
        return f"Problem({self.address!r})"


class Episode:
    """A problem that is played turn by turn. Its token holds all of it, so that any replica takes the next turn."""

    def __init__(self, client: Client, name: dict):
        self._client = client
        self.tools: list[dict] = []
        self._take(client._ask("POST", "/v1/episodes", name))

    def _take(self, answer: dict) -> None:
        self._token: str = answer["episode"]
        self.address: str = answer["address"]
        self.observation: list[dict] = answer["observation"]["messages"]
        self.tools = answer["observation"].get("tools", self.tools)  # named where they change
        self.done: bool = answer["done"]
        self._verdict = _verdict(answer["verdict"]) if "verdict" in answer else None

    def step(self, action: str | dict) -> tuple[list[dict], float, bool, bool, dict]:
        """Takes a turn.

        Args:
            action: the policy's text, in which the server finds the calls of tools, or a message: `{"text": …,
                "tool_calls": [{"name": …, "arguments": {…}}]}`.

        Returns:
            observation (the messages that answer), reward of this turn, terminated, truncated, info.
        """
        answer = self._client._ask("POST", "/v1/episodes/step", {"episode": self._token, "action": action})
        self._take(answer)
        seen = answer["observation"]
        return self.observation, float(seen.get("reward", 0.0)), seen["terminated"], seen["truncated"], seen.get("info", {})

    async def astep(self, action: str | dict) -> tuple[list[dict], float, bool, bool, dict]:
        return await asyncio.to_thread(self.step, action)

    def verdict(self) -> Verdict:
        """The episode's score, once it is `done`."""
        if self._verdict is None:
            raise ServerError("this episode has not ended, so there is no verdict yet")
        return self._verdict


class Env:
    """One environment of the servers."""

    def __init__(self, client: Client, name: str, prompt: str, tolerant: bool):
        self._client, self.name, self._prompt = client, name, prompt
        self._how = _how(prompt, tolerant)

    def generate(self, level: int = 0, seed: int = 0, split: str = "train") -> Problem:
        body = {"environment": self.name, "level": level, "seed": seed, "split": split, "prompt": self._prompt}
        return self._client._ask_problems(body, self._how)[0]

    def describe(self) -> dict:
        return self._client.describe(self.name)

    def __repr__(self) -> str:
        return f"Env({self.name!r})"


class SharedCurriculum:
    """A curriculum that lives on its owner, the first server of the list, and that any number of trainers share.

    Every message has this client's name and a number, so that one that is sent again counts once and is answered alike.

    Args:
        suite: a suite's name, or names of environments.
        id: by which others find it; without one it is made up.
        method: `rlve` is the rule of RLVE; else a name that `difficulty` of the server's curricula takes.
        seed: of the draws.
        settings: more of `POST /v1/curricula`: accuracy_threshold, minimum_groups, width, low, high, rollouts, …
    """

    def __init__(self, client: Client, suite: str | Sequence[str], id: str | None = None, method: str = "rlve", seed: int = 0,
                 **settings: Any):
        self._attach(client, id or f"c-{uuid.uuid4().hex}", uuid.uuid4().hex)
        self._ask("POST", "", {"id": self.id, "suite": suite if isinstance(suite, str) else ",".join(suite), "seed": seed,
                               "difficulty": "adaptive" if method == "rlve" else method, **settings})

    def _attach(self, client: Client, id: str, name: str) -> None:
        self._client, self.id = client, id
        self._name, self._sequence, self._drawn = name, 0, 0
        self._lock, self._process = threading.Lock(), os.getpid()

    def _count_anew_after_a_fork(self) -> None:
        # Two processes that count alike under one name would be taken for one that sends everything twice.
        if self._process != os.getpid():
            self._attach(self._client, self.id, uuid.uuid4().hex)

    def _ask(self, method: str, path: str, body: Any = None) -> Any:
        return self._client._ask(method, "/v1/curricula" + path, body, of=lambda: self._client.owner)

    def next_batch(self, n: int, prompt: str = "plain") -> list[Problem]:
        """The next problems, at the levels where the curriculum stands."""
        batch: list[Problem] = []
        self._count_anew_after_a_fork()
        with self._lock:
            while len(batch) < n:
                batch += self.draw(self._name, self._drawn + 1, n - len(batch), prompt)
                self._drawn += 1
        return batch

    def stream(self, name: str, at_once: int = 16, prompt: str = "plain", first: int = 1) -> Iterator[Problem]:
        """Problems without end, `at_once` drawn at a time.

        Every process that reads the stream of one name sees the same problems, whichever comes first, as long as none
        falls 256 draws behind. `first` is the number of the first draw, for a stream that goes on.
        """
        for sequence in itertools.count(first):
            yield from self.draw(name, sequence, at_once, prompt)

    def draw(self, name: str, sequence: int, count: int, prompt: str = "plain") -> list[Problem]:
        """The draw of this number in the stream of this name: `count` problems, rarely fewer, and the same for all who ask."""
        drawn = self._ask("POST", f"/{self.id}/problems",
                          {"count": min(count, _MOST_ITEMS), "prompt": prompt, "client": name, "sequence": sequence})
        # The rare problem that cannot be made is left out.
        return [Problem(self._client, row, _how(prompt)) for row in drawn["problems"] if "prompt" in row]

    def update(self, problems: Sequence[Problem | str], verdicts: Sequence[Any], *, end_step: bool = True) -> int:
        """Learns from verdicts, which are what `score_many` gave, or the bare truth values of `solved`.

        A step that comes in several pieces ends with the last; levels move then.

        Returns:
            how many counted: those of this curriculum's own training problems.
        """
        if len(problems) != len(verdicts):
            raise ServerError(f"there are {len(problems)} problems and {len(verdicts)} verdicts")
        items = [{"address": _address(p), "solved": solved} for p, solved in zip(problems, _solved.solved(verdicts))]
        counted = 0
        self._count_anew_after_a_fork()
        with self._lock:  # messages leave in the order of their numbers
            for start in range(0, len(items), _MOST_ITEMS):
                self._sequence += 1
                answer = self._ask("POST", f"/{self.id}/outcomes", {
                    "client": self._name, "sequence": self._sequence, "items": items[start:start + _MOST_ITEMS],
                    "end_step": end_step and start + _MOST_ITEMS >= len(items)})
                counted += answer["counted"]
        return counted

    def levels(self) -> dict[str, tuple[int, int]]:
        """The lowest and the highest level that each environment is drawn from."""
        rows = self._ask("GET", f"/{self.id}")["environments"]
        return {row["name"]: (row["low"], row["high"]) for row in rows}

    def state(self) -> dict:
        """What `load` of a later process needs to go on; the levels themselves are in the owner's `--state` file.

        What was done after it was taken is not done again: those draws give the same problems, and their outcomes, which
        counted the first time, teach nothing more (as far back as the owner remembers, 256 messages).
        """
        return {"id": self.id, "client": self._name, "sequence": self._sequence, "drawn": self._drawn}

    def load(self, state: dict) -> None:
        self.id, self._name = state["id"], state["client"]
        self._sequence, self._drawn = int(state["sequence"]), int(state["drawn"])
        self._ask("GET", f"/{self.id}")

    def __reduce__(self):  # every process that gets a copy counts its own messages
        return Client.join, (self._client, self.id)


class Client:
    """Servers that give the same answers. May be used from any thread, and sent to other processes.

    Args:
        urls: one URL or several.
        token: the servers' token; `$REDQUEEN_TOKEN` if there is one.
        timeout: seconds for one answer of one server.
        patience: seconds after which a request that no server answered is given up.
    """

    def __init__(self, urls: str | Sequence[str], token: str | None = None, timeout: float = 60.0, patience: float = 120.0):
        urls = [urls] if isinstance(urls, str) else [*urls]
        token = token if token is not None else os.environ.get("REDQUEEN_TOKEN") or None
        try:
            self._replicas = Replicas(urls, token, timeout, patience)
        except ValueError as error:
            raise ServerError(str(error)) from None
        self._owner: str | None = None
        self._executor: tuple[int, concurrent.futures.ThreadPoolExecutor] | None = None

    @property
    def urls(self) -> tuple[str, ...]:
        return self._replicas.urls

    @property
    def owner(self) -> str:
        """The server whose curricula count."""
        return self._owner or self.urls[0]

    def replace(self, urls: Sequence[str], owner: str | None = None) -> None:
        """Other servers from now on, for instance where some were started anew elsewhere."""
        self._replicas.replace(urls)
        self._owner = owner

    def _ask(self, method: str, path: str, body: Any = None, **how: Any) -> Any:
        try:
            return self._replicas.ask(method, path, body, **how)
        except Refused as error:
            raise ServerError(str(error), error.status) from None
        except Unavailable as error:
            raise ServerError(str(error)) from None

    def list(self) -> List[str]:
        """Names of all environments."""
        return [row["name"] for row in self._ask("GET", "/v1/environments")["environments"]]

    def describe(self, name: str) -> dict:
        """What an environment asks, its levels and its rewards."""
        return self._ask("GET", f"/v1/environments/{quote(name, safe='')}")

    def make(self, name: str, prompt: str = "plain", tolerant: bool = False) -> Env:
        """An environment. `prompt` is a prompt format's name, `tolerant` reads answers with some goodwill."""
        self.describe(name)  # an unknown name fails here
        return Env(self, name, prompt, tolerant)

    def generate(self, name: str, level: int = 0, seed: int = 0, split: str = "train", prompt: str = "plain") -> Problem:
        """One problem of an environment."""
        return Env(self, name, prompt, False).generate(level, seed, split)

    def restore(self, address: str) -> Problem:
        """The problem of an address."""
        return self.restore_many([address])[0]

    def restore_many(self, addresses: Sequence[str], prompt: str = "plain") -> List[Problem]:
        """The problems of addresses, in their order."""
        blocks = [[*addresses[start:start + _MOST_ITEMS]] for start in range(0, len(addresses), _MOST_ITEMS)]
        return [problem for block in blocks
                for problem in self._ask_problems({"addresses": block, "prompt": prompt}, _how(prompt))]

    def generate_many(self, suite: str | Env | Sequence[str], levels: int | Iterable[int] = 0, seeds: int | Iterable[int] = 0,
                      split: str = "train", prompt: str = "plain") -> List[Problem]:
        """The problems of every environment, at every level, with every seed, in this order.

        Args:
            suite: names of environments; of other suites, `dataset` and `select` give problems. An Env is asked in its
                own prompt format, and its answers are read as it says.
        """
        how = _how(prompt)
        if isinstance(suite, Env):
            prompt, how = suite._prompt, suite._how
        names = [suite.name] if isinstance(suite, Env) else suite.split(",") if isinstance(suite, str) else [*suite]
        levels, seeds = ([x] if isinstance(x, int) else [*x] for x in (levels, seeds))
        for name in names:
            self.describe(name)
        made: List[Problem] = []
        for name, level in itertools.product(names, levels):
            for seed, count in runs(seeds):
                made += self._ask_problems({"environment": name, "level": level, "seed": seed, "count": count, "split": split,
                                            "prompt": prompt}, how)
        return made

    def select(self, suite: str | Sequence[str], levels: Sequence[int], count: int, seed: int = 0, split: str = "train",
               prompt: str = "plain", first: int = 0) -> Iterator[Problem]:
        """`count` problems of a suite from number `first` on: round its environments first, then the levels, then the seeds."""
        text = suite if isinstance(suite, str) else ",".join(suite)
        for start in range(first, first + count, _PROBLEMS_AT_ONCE):
            body = {"suite": text, "levels": [*levels], "seed": seed, "first": start,
                    "count": min(_PROBLEMS_AT_ONCE, first + count - start), "split": split, "prompt": prompt}
            for row in self._ask("POST", "/v1/problems", body)["problems"]:
                if "prompt" in row:  # the rare problem that cannot be made is left out
                    yield Problem(self, row, _how(prompt))

    def score_many(self, problems: Sequence[Problem | str], texts: Sequence[str], threads: int | None = None) -> Verdicts:
        """The verdicts on responses, in their order.

        Args:
            problems: problems or addresses, one for every text.
            texts: the responses, whole.
            threads: requests under way at once, 16 at most; None: two for every server.
        """
        if len(problems) != len(texts):
            raise ServerError(f"there are {len(problems)} problems and {len(texts)} responses")
        blocks = [*_blocks(problems, texts)]
        answers: List[List[Verdict]] = [[] for _ in blocks]
        todo = iter(range(len(blocks)))  # next() of it is one step, whichever thread takes it

        def work(_: int) -> None:
            for i in todo:
                answers[i] = self._score_block(*blocks[i])

        threads = min(threads or 2 * len(self.urls), len(blocks), _MOST_THREADS)
        for _ in map(work, range(1)) if threads <= 1 else self._threads().map(work, range(threads)):
            pass  # a fault of one of them comes out here
        return Verdicts(verdict for answer in answers for verdict in answer)

    async def ascore_many(self, problems: Sequence[Problem | str], texts: Sequence[str]) -> Verdicts:
        return await asyncio.to_thread(self.score_many, problems, texts)

    def score(self, problem: Problem | str, text: str) -> Verdict:
        return self.score_many([problem], [text])[0]

    def Curriculum(self, suite: str | Sequence[str], id: str | None = None, method: str = "rlve", seed: int = 0,
                   **settings: Any) -> SharedCurriculum:
        """A curriculum on its owner; one of the same `id` and settings is joined."""
        return SharedCurriculum(self, suite, id, method, seed, **settings)

    def join(self, id: str) -> SharedCurriculum:
        """The curriculum that somebody else has made; it keeps its settings."""
        joined = SharedCurriculum.__new__(SharedCurriculum)
        joined._attach(self, id, uuid.uuid4().hex)
        joined._ask("GET", f"/{id}")
        return joined

    def curricula(self) -> List[str]:
        return self._ask("GET", "/v1/curricula", of=lambda: self.owner)["curricula"]

    def dataset(self, suite: str | Sequence[str], levels: int | Sequence[int], size: int, split: str = "train", seed: int = 0,
                as_list: bool = False) -> Any:
        """Rows with prompt, environment, level, seed, split and address: a `datasets.Dataset`, or a list of dictionaries."""
        keys = ("prompt", "environment", "level", "seed", "split", "address")
        levels = [levels] if isinstance(levels, int) else levels
        rows = [{key: getattr(p, key) for key in keys} for p in self.select(suite, levels, size, seed, split)]
        if as_list:
            return rows
        import datasets

        return datasets.Dataset.from_list(rows)

    def _ask_problems(self, body: dict, how: dict) -> List[Problem]:
        rows = self._ask("POST", "/v1/problems", body)["problems"]
        for row in rows:
            if "error" in row:
                raise ServerError(row["error"])
        return [Problem(self, row, how) for row in rows]

    def _score_block(self, items: List[dict], how: dict) -> List[Verdict]:
        rows = self._ask("POST", "/v1/score", {"items": items, **how})["verdicts"]
        for item, row in zip(items, rows):
            if "error" in row:
                raise ServerError(f'{item["address"]}: {row["error"]}')
        return [_verdict(row) for row in rows]

    def _threads(self) -> concurrent.futures.ThreadPoolExecutor:
        """Threads that are kept, and their connections with them; a process that was forked has none of them."""
        if self._executor is None or self._executor[0] != os.getpid():
            self._executor = os.getpid(), concurrent.futures.ThreadPoolExecutor(_MOST_THREADS, "redqueen")
        return self._executor[1]

    def __reduce__(self):
        return _reconnect, (self.urls, self._owner, self._replicas.token, self._replicas.timeout, self._replicas.patience)

    def __repr__(self) -> str:
        return f"Client({[*self.urls]})"


def _address(problem: Any) -> str:
    return problem if isinstance(problem, str) else problem.address


def _response(problem: Any, text: str) -> str:
    """The response that a policy's text goes on with, where the prompt begins it (`terse`)."""
    return _OPENING + text if getattr(problem, "prompt", "").endswith(_OPENING) else text


def _verdict(row: dict) -> Verdict:
    known = ("reward", "solved", "well_formed")
    return Verdict(row["reward"], row["solved"], row["well_formed"], {key: value for key, value in row.items() if key not in known})


def _how(prompt: str, tolerant: bool = False) -> dict:
    """What a request for scores says of responses to prompts of this format."""
    how = {"marker": "boxed"} if prompt in ("boxed", "chatml") or "\\boxed" in prompt else {}
    return {**how, "reading": "tolerant"} if tolerant else how


def runs(seeds: Sequence[int]) -> Iterator[tuple[int, int]]:
    """(first, count) of numbers that follow one another, which one request asks for."""
    start = 0
    for end in range(1, len(seeds) + 1):
        if end == len(seeds) or seeds[end] != seeds[end - 1] + 1 or end - start == _PROBLEMS_AT_ONCE:
            yield seeds[start], end - start
            start = end


def _blocks(problems: Sequence[Problem | str], texts: Sequence[str]) -> Iterator[tuple[list[dict], dict]]:
    """Requests that are neither too long nor too large, each of responses that are read in one way."""
    block: list[dict] = []
    size = 0
    how: dict = {}
    for problem, text in zip(problems, texts):
        its_how = getattr(problem, "_how", {})
        if block and (len(block) == _ITEMS_AT_ONCE or size + len(text) > _BYTES_AT_ONCE or its_how != how):
            yield block, how
            block, size = [], 0
        block.append({"address": _address(problem), "response": _response(problem, text)})
        size, how = size + len(text), its_how
    if block:
        yield block, how


def _reconnect(urls: Sequence[str], owner: str | None, token: str | None, timeout: float, patience: float) -> Client:
    client = Client(urls, token, timeout, patience)
    client._owner = owner
    return client


def connect(urls: str | Sequence[str], token: str | None = None, timeout: float = 60.0, patience: float = 120.0) -> Client:
    """The same names as `redqueen`, answered by servers. Fails where none of them answers.

    Args:
        urls: base URLs of `redqueen serve`, one or several. Curricula are those of the first.
        token: what the servers ask for; `$REDQUEEN_TOKEN` if there is one.
        timeout: seconds for one answer of one server.
        patience: seconds after which a request that no server answered is given up.
    """
    client = Client(urls, token, timeout, patience)
    client._ask("GET", "/v1/curricula")
    return client

"""A client of `redqueen serve` with the names of the package itself, in pure Python.

    >>> import redqueen
    >>> rq = redqueen.connect(["http://127.0.0.1:8000"])
    >>> problem = rq.make("Sorting").generate(level=3, seed=0)
    >>> problem.score("<answer>1 2 3</answer>").reward
    -0.5

What works on `redqueen` works on the client, with the same parameters: `list`, `describe`, `make`, `load_suite`, `restore`,
`restore_many`, `generate_many`, `score_many`, `resume`, `dataset`, `Curriculum`, and `aio`. Own environments (a server has
those it was started with) and the `Sandbox` are the package's alone. A problem is its address, so that any server of the same
version scores any response: a request that fails is sent to the next one. A curriculum has one owner, and what it is told
counts once however often it is sent.
"""
from __future__ import annotations

import asyncio
import concurrent.futures
import functools
import itertools
import os
# List: in the signatures of Client, `list` is a method
from typing import Any, Callable, Concatenate, Coroutine, Iterable, Iterator, List, ParamSpec, Sequence, TypeVar
from urllib.parse import quote

from . import _arguments
from ._native import UsageError
from .remote import (
    MOST_CHARACTERS,
    PLAIN,
    Env,
    Episode,
    Format,
    Problem,
    RequestError,
    ServerError,
    Suite,
    Verdict,
    Verdicts,
    address_of,
    split_text,
)
from .shared_curriculum import SharedCurriculum
from .replicas import Refused, Replicas, Unavailable

__all__ = [
    "Client", "Env", "Episode", "Problem", "RequestError", "ServerError", "SharedCurriculum", "Suite", "Verdict", "Verdicts", "connect",
]  # fmt: skip

P = ParamSpec("P")
T = TypeVar("T")
_ITEMS_AT_ONCE = 512  # so that several replicas share a batch
_CHARACTERS_AT_ONCE = 8 << 20  # a character has six bytes in JSON at most, and a body 64 MiB
_PROBLEMS_AT_ONCE = 256
_MOST_THREADS = 16
_PATIENCE = 120.0
_FIRST_PATIENCE = 10.0  # a wrong URL is found out within these


class Client:
    """Servers that give the same answers. May be used from any thread, and sent to other processes.

    Args:
        urls: one URL or several.
        token: the servers' token; `$REDQUEEN_TOKEN` if there is one.
        timeout: seconds for one answer of one server.
        patience: seconds after which a request that no server answered is given up.
    """

    def __init__(self, urls: str | Sequence[str], token: str | None = None, timeout: float = 60.0, patience: float = _PATIENCE):
        if not isinstance(urls, (str, list, tuple)) or not all(isinstance(url, str) for url in urls):
            raise UsageError(f"urls: one URL or a list of URLs, and not {urls!r}")
        urls = [urls] if isinstance(urls, str) else [*urls]
        token = token if token is not None else os.environ.get("REDQUEEN_TOKEN") or None
        try:
            self._replicas = Replicas(urls, token, timeout, patience)
        except ValueError as error:
            raise RequestError(str(error)) from None
        self._owner: str | None = None
        self._suites: dict[str, Suite] = {}
        self._executor: tuple[int, concurrent.futures.ThreadPoolExecutor] | None = None

    @property
    def urls(self) -> tuple[str, ...]:
        """Those of the servers."""
        return self._replicas.urls

    @property
    def owner(self) -> str:
        """The server whose curricula count."""
        return self._owner or self.urls[0]

    def replace(self, urls: Sequence[str], owner: str | None = None) -> None:
        """Other servers from now on, for instance where some were started anew elsewhere."""
        try:
            self._replicas.replace(urls)
        except ValueError as error:
            raise RequestError(str(error)) from None
        self._owner = owner

    @property
    def aio(self) -> Aio:
        """`score_many`, `generate_many`, … for asyncio, as `redqueen.aio` has them."""
        return Aio(self)

    def list(self) -> List[str]:
        """The names of all environments, sorted."""
        return sorted(row["name"] for row in self._ask("GET", "/v1/environments")["environments"])

    def describe(self, name: object) -> dict:
        """The card of an environment: what it asks, what grows with the level, what earns what."""
        return self._ask("GET", f"/v1/environments/{quote(_name(name), safe='')}")

    def make(self, name: object, *, prompt: str = "plain", tolerant: bool = False) -> Env:
        """An environment, by its name.

        prompt: how a problem is asked and its answer is marked: plain, boxed, chatml, think, terse, bare, or a text with
            {problem} in it.
        tolerant: read answers that are formatted otherwise, too.
        """
        card = self.describe(name)  # an unknown name fails here
        return Env(self, card["name"], Format(prompt, tolerant), card)

    def generate(self, name: str, level: int = 0, seed: int = 0, split: str | int = "train", prompt: str = "plain") -> Problem:
        """One problem of an environment."""
        return Env(self, name, Format(prompt)).generate(level, seed, split)

    def load_suite(self, name: object) -> Suite:
        """A set of environments: a suite that comes with the servers, names separated by commas, or a list of any of these."""
        if isinstance(name, Suite):
            return name
        if isinstance(name, Env):
            return Suite(name.name, [name])
        if isinstance(name, (list, tuple)):
            if not name:
                raise UsageError("a suite needs at least one environment")
            return Suite.joined([self.load_suite(part) for part in name])
        name = _name(name)
        if name not in self._suites:
            row = self._ask("GET", f"/v1/suites/{quote(name, safe='')}")
            self._suites[name] = Suite(**{**row, "environments": [Env(self, each) for each in row["environments"]]})
        return self._suites[name]

    def restore(self, address: str | None = None, *, environment: object = None, parameter: object = None, prompt: str = "plain",
                tolerant: bool = False) -> Problem:
        """The problem of an address; or that of an environment's name and a `Problem.parameter`."""
        if address is not None and environment is None and parameter is None:
            return self.restore_many([address], prompt=prompt, tolerant=tolerant)[0]
        if address is None and environment is not None and parameter is not None:
            return Env(self, _name(environment), Format(prompt, tolerant)).restore(parameter)
        raise UsageError("restore needs an address, or an environment and a parameter")

    def restore_many(self, addresses: Iterable[str], *, prompt: str = "plain", tolerant: bool = False,
                     threads: int | None = None) -> List[Problem]:
        """The problems of many addresses, in their order. `threads`: requests under way at once; None: two for every server."""
        addresses, format = _arguments.addresses_of(addresses), Format(prompt, tolerant)
        bodies = [{"addresses": addresses[start:start + _PROBLEMS_AT_ONCE], "prompt": prompt}
                  for start in range(0, len(addresses), _PROBLEMS_AT_ONCE)]
        blocks = self._over(bodies, self._ask_rows, threads)
        return [Problem(self, row, format) for rows in blocks for row in rows]

    def generate_many(self, suite: object, levels: int | Iterable[int] = 0, seeds: int | Iterable[int] = range(1),
                      split: str | int = "train", *, prompt: str = "plain", tolerant: bool = False, allow_missing: bool = False,
                      threads: int | None = None) -> List[Any]:
        """Every environment of a suite, at every level, with every seed, in this order.

        An Env is asked in its own prompt format. Where a problem cannot be made, raises Error; with allow_missing, None
        stands in its place. `threads`: requests under way at once, 16 at most; None: two for every server.
        """
        levels, seeds = _arguments.numbers(levels, "levels"), _arguments.numbers(seeds, "seeds", _arguments.MOST_SEED)
        format = suite._format if isinstance(suite, Env) else Format(prompt, tolerant)
        bodies = [{"environment": env.name, "level": level, "seed": seed, "count": count, "split": split_text(split),
                   "prompt": format.prompt}
                  for env, level in itertools.product(self.load_suite(suite).environments, levels) for seed, count in runs(seeds)]
        blocks = self._over(bodies, lambda body: self._ask_rows(body, allow_missing), threads)
        return [Problem(self, row, format) if "prompt" in row else None for rows in blocks for row in rows]

    def select(self, suite: object, levels: Sequence[int], count: int, seed: int = 0, split: str | int = "train",
               prompt: str = "plain", first: int = 0) -> Iterator[Problem]:
        """`count` problems of a suite from number `first` on: round its environments first, then the levels, then the seeds.

        A suite with weights is drawn by them. The rare problem that cannot be made is left out.
        """
        format = Format(prompt)
        for row in self._rows(_suite_name(suite), levels, count, seed, split, first, prompt=prompt):
            if "prompt" in row:
                yield Problem(self, row, format)

    def score_many(self, problems: Sequence[Problem | str], texts: Sequence[str], *, prompt: str = "plain", tolerant: bool = False,
                   raw: bool = False, threads: int | None = None) -> Verdicts:
        """The verdicts on responses, in their order.

        Args:
            problems: problems or addresses, one for every text; addresses are asked by `prompt` and read as `tolerant` says.
            texts: the responses, whole.
            raw: the texts are bare answers, without marks.
            threads: requests under way at once, 16 at most; None: two for every server.
        """
        _arguments.check_lists(problems, texts)
        if len(problems) != len(texts):
            raise UsageError(f"score_many needs a response for each problem: there are {len(problems)} problems and {len(texts)} texts")
        blocks = [*_blocks(problems, texts, Format(prompt, tolerant), raw)]
        answers = self._over(blocks, lambda block: self._score_block(*block), threads)
        return Verdicts(verdict for answer in answers for verdict in answer)

    async def ascore_many(self, problems: Sequence[Problem | str], texts: Sequence[str], **settings: Any) -> Verdicts:
        """`score_many` in a thread of its own; to be awaited."""
        return await asyncio.to_thread(self.score_many, problems, texts, **settings)

    def score(self, problem: Problem | str, text: str) -> Verdict:
        """The verdict on one response, to a problem or to that of an address."""
        return self.score_many([problem], [text])[0]

    def resume(self, record: dict) -> Episode:
        """The episode of an `Episode.record`, as it stood, whoever has played it: this client or the package."""
        if not isinstance(record, dict):
            raise UsageError(f"resume needs an Episode.record(), and not {record!r}")
        return Episode(self, self._ask("POST", "/v1/episodes", {"record": record}))

    def Curriculum(self, suite: object, method: str = "rlve", seed: int = 0, *, prompt: str = "plain", tolerant: bool = False,
                   id: str | None = None, **settings: Any) -> SharedCurriculum:
        """A curriculum on its owner; one of the same `id` and settings is joined. `settings` are those of `redqueen.Curriculum`."""
        return SharedCurriculum(self, _suite_name(suite), method, seed, prompt=prompt, tolerant=tolerant, id=id, **settings)

    def join(self, id: str) -> SharedCurriculum:
        """The curriculum that somebody else has made; it keeps its settings."""
        return SharedCurriculum.joined(self, id)

    def curricula(self) -> List[str]:
        """The ids of the curricula that the owner has."""
        return self._ask("GET", "/v1/curricula", of=lambda: self.owner)["curricula"]

    def dataset(self, suite: object, levels: int | Iterable[int] = 0, size: int = 1000, split: str | int = "train", seed: int = 0,
                *, prompt: str = "plain", chat: bool = False, reference: bool = False, as_list: bool = False) -> Any:
        """`size` problems as a datasets.Dataset, or as a list of dictionaries.

        Environments take turns, then levels, then seeds from `seed` on: a larger size adds rows at the end. Columns:
        prompt (str; with `chat` a list of messages), environment, level, seed, split, address; with `reference`, which the
        servers' administrator alone may ask for, a right answer.
        """
        size, seed = _arguments.count_of(size, "size"), _arguments.count_of(seed, "seed")
        levels = _arguments.numbers(levels, "levels")
        if not levels:
            raise UsageError("levels: at least one")
        names = ",".join(env.name for env in self.load_suite(suite).environments)
        more = {**({"details": True} if chat else {}), **({"references": True} if reference else {})}
        rows = []
        for row in self._rows(names, levels, size, seed, split, 0, prompt=prompt, **more):
            _raise_fault(row)
            columns = {key: row[key] for key in ("prompt", "environment", "level", "seed", "split", "address")}
            if chat:
                columns["prompt"] = row["messages"]
            if reference:
                columns["reference"] = row["reference"]
            rows.append(columns)
        if as_list:
            return rows
        try:
            import datasets
        except ImportError as missing:
            raise UsageError(
                "a datasets.Dataset needs the package datasets: pip install 'redqueen[datasets]', or ask for as_list=True"
            ) from missing
        return datasets.Dataset.from_list(rows)

    def _ask(self, method: str, path: str, body: Any = None, **how: Any) -> Any:
        try:
            return self._replicas.ask(method, path, body, **how)
        except Refused as error:
            kind = RequestError if error.status in (400, 404, 405, 409, 413, 422) else ServerError
            raise kind(str(error), error.status) from None
        except Unavailable as error:
            raise ServerError(str(error)) from None

    def _ask_rows(self, body: dict, allow_missing: bool = False) -> List[dict]:
        rows = self._ask("POST", "/v1/problems", body)["problems"]
        if not allow_missing:
            for row in rows:
                _raise_fault(row)
        return rows

    def _rows(self, suite: str, levels: Sequence[int], count: int, seed: int, split: str | int, first: int, **more: Any
              ) -> Iterator[dict]:
        """The rows of `count` problems of a suite from number `first` on, page by page."""
        for start in range(first, first + count, _PROBLEMS_AT_ONCE):
            body = {"suite": suite, "levels": [*levels], "seed": seed, "first": start,
                    "count": min(_PROBLEMS_AT_ONCE, first + count - start), "split": split_text(split), **more}
            yield from self._ask("POST", "/v1/problems", body)["problems"]

    def _score_block(self, items: List[dict], how: dict) -> List[Verdict]:
        rows = self._ask("POST", "/v1/score", {"items": items, **how})["verdicts"]
        for item, row in zip(items, rows):
            if "error" in row:
                raise RequestError(f'{item.get("address", item.get("environment"))}: {row["error"]}')
        return [Verdict.of(row) for row in rows]

    def _over(self, jobs: Sequence[Any], work: Callable[[Any], Any], threads: int | None) -> List[Any]:
        """work(job) of all jobs, in their order, on several threads."""
        threads = _arguments.threads_of(threads)
        answers: List[Any] = [None] * len(jobs)
        todo = iter(range(len(jobs)))  # next() of it is one step, whichever thread takes it

        def go_on(_: int) -> None:
            try:
                for i in todo:
                    answers[i] = work(jobs[i])
            except BaseException:
                for _ in todo:  # the other threads need not go on
                    pass
                raise

        threads = min(threads or 2 * len(self.urls), len(jobs), _MOST_THREADS)
        for _ in map(go_on, range(1)) if threads <= 1 else self._threads().map(go_on, range(threads)):
            pass  # a fault of one of them comes out here
        return answers

    def _threads(self) -> concurrent.futures.ThreadPoolExecutor:
        """Threads that are kept, and their connections with them; a process that was forked has none of them."""
        if self._executor is None or self._executor[0] != os.getpid():
            self._executor = os.getpid(), concurrent.futures.ThreadPoolExecutor(_MOST_THREADS, "redqueen")
        return self._executor[1]

    def __reduce__(self) -> tuple[Any, ...]:
        return _reconnect, (self.urls, self._owner, self._replicas.token, self._replicas.timeout, self._replicas.patience)

    def __repr__(self) -> str:
        return f"Client({[*self.urls]})"


def _awaited(method: Callable[Concatenate[Client, P], T]) -> Callable[Concatenate[Aio, P], Coroutine[Any, Any, T]]:
    """A method of Aio that does what this method of the client does, in a thread."""

    @functools.wraps(method)
    async def call(self: Aio, /, *arguments: P.args, **named: P.kwargs) -> T:
        return await asyncio.to_thread(method, self._client, *arguments, **named)

    call.__qualname__, call.__doc__ = f"Aio.{method.__name__}", f"As Client.{method.__name__}."
    return call


class Aio:
    """The functions of a client for asyncio: each does its work in a thread, and the loop goes on meanwhile."""

    def __init__(self, client: Client):
        self._client = client

    async def score(self, problem: Problem, text: str, raw: bool = False) -> Verdict:
        """As Problem.score."""
        return await asyncio.to_thread(problem.score, text, raw)

    async def step(self, episode: Episode, action: object) -> tuple[List[dict], float, bool, bool, dict]:
        """As Episode.step. One episode takes one step at a time."""
        return await asyncio.to_thread(episode.step, action)

    score_many = _awaited(Client.score_many)
    generate_many = _awaited(Client.generate_many)
    restore_many = _awaited(Client.restore_many)
    dataset = _awaited(Client.dataset)

    async def next_batch(self, curriculum: SharedCurriculum, count: int, prompt: str | None = None) -> List[Problem]:
        """As SharedCurriculum.next_batch."""
        return await asyncio.to_thread(curriculum.next_batch, count, prompt)

    async def update(self, curriculum: SharedCurriculum, problems: Iterable[Problem | str], verdicts: Iterable[Any], *,
                     end_step: bool = True) -> int:
        """As SharedCurriculum.update."""
        return await asyncio.to_thread(curriculum.update, problems, verdicts, end_step=end_step)


def _name(given: object) -> str:
    if isinstance(given, str):
        return given
    if isinstance(given, Env):
        return given.name
    raise UsageError(f"servers know environments and suites by their names; {given!r} is none. A server is started with environments "
                     "of yours by --environments")


def _suite_name(suite: object) -> str:
    """The one text by which a server knows a suite."""
    if isinstance(suite, Suite):
        return suite.name
    if not isinstance(suite, (list, tuple)):
        return _name(suite)
    parts = [_suite_name(part) for part in suite]
    if len(parts) > 1 and any("," in part for part in parts):
        raise UsageError(f"a server takes one suite or a list of environments, and not {suite!r}")
    return ",".join(parts)


def _raise_fault(row: dict) -> None:
    if "error" in row:
        raise ServerError(row["error"])


def runs(seeds: Sequence[int]) -> Iterator[tuple[int, int]]:
    """(first, count) of numbers that follow one another, which one request asks for."""
    start = 0
    for end in range(1, len(seeds) + 1):
        if end == len(seeds) or seeds[end] != seeds[end - 1] + 1 or end - start == _PROBLEMS_AT_ONCE:
            yield seeds[start], end - start
            start = end


def _blocks(problems: Sequence[Problem | str], texts: Sequence[str], format: Format, raw: bool) -> Iterator[tuple[list[dict], dict]]:
    """Requests that are neither too long nor too large, each of responses that are read in one way."""
    block: list[dict] = []
    size = 0
    current, opening = format, "" if raw else format.opening
    for place, (problem, text) in enumerate(zip(problems, texts)):
        if not isinstance(text, str):
            raise TypeError(f"score_many: a response is a str, and not {text!r}")
        own = format if isinstance(problem, str) else getattr(problem, "_format", PLAIN)
        is_other = own is not current and own != current
        if block and (is_other or len(block) == _ITEMS_AT_ONCE or size + len(text) > _CHARACTERS_AT_ONCE):
            yield block, _fields(current, raw)
            block, size = [], 0
        if is_other:
            current, opening = own, "" if raw else own.opening
        if len(text) > MOST_CHARACTERS:
            text = text[:MOST_CHARACTERS]
        block.append({**_row(problem, place), "response": opening + text})
        size += len(text)
    if block:
        yield block, _fields(current, raw)


def _fields(format: Format, raw: bool) -> dict:
    return {**format.fields, "raw": True} if raw else format.fields


def _row(problem: Any, place: int) -> dict:
    """What names a problem in a request."""
    return problem._row if isinstance(problem, Problem) else {"address": address_of(problem, "score_many", place)}


def _reconnect(urls: Sequence[str], owner: str | None, token: str | None, timeout: float, patience: float) -> Client:
    client = Client(urls, token, timeout, patience)
    client._owner = owner
    return client


def connect(urls: str | Sequence[str], token: str | None = None, timeout: float = 60.0, patience: float | None = None) -> Client:
    """The same names as `redqueen`, answered by servers. Fails where none of them answers.

    Args:
        urls: base URLs of `redqueen serve`, one or several. Curricula are those of the first.
        token: what the servers ask for; `$REDQUEEN_TOKEN` if there is one.
        timeout: seconds for one answer of one server.
        patience: seconds after which a request that no server answered is given up. None: 10 for the first, which finds out
            here whether there are servers, and 120 for all others.
    """
    client = Client(urls, token, timeout, _PATIENCE if patience is None else patience)
    answer = client._ask("GET", "/v1/curricula", patience=_FIRST_PATIENCE if patience is None else patience)
    if not isinstance(answer, dict) or "curricula" not in answer:
        raise RequestError(f"{client.urls[0]} answers, and not as `redqueen serve` does; is the URL right?")
    return client

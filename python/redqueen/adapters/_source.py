"""Where problems and scores come from: servers, or the engine in this process. Both have the names of `redqueen`."""
from __future__ import annotations

import atexit
import functools
import os
import re
import threading
import warnings
from typing import Any, Iterable, Iterator, Sequence

from ..connect import Client, SharedCurriculum, connect

_ADDRESS = re.compile(r"(?P<name>[^@]+)@(?P<version>\d+)/(?P<level>\d+)/(?P<seed>\d+)(?:/s(?P<salt>[0-9a-fA-F]+))?")


def _refuse_formats(settings: Iterable[str]) -> None:
    """Rewards know a problem by its address, which says nothing of how it was asked."""
    import redqueen

    for name in {*settings} & {"prompt", "tolerant"}:
        raise redqueen.UsageError(f"a trainer's curriculum has no setting {name!r}: its rewards read the answer to a plain prompt. "
                                  "docs/trainers/README.md shows a reward for models that answer in another form")


class LocalCurriculum:
    """A curriculum of this process, told by addresses."""

    def __init__(self, suite: str | Sequence[str], method: str, seed: int, settings: dict):
        import redqueen

        _refuse_formats(settings)
        self._restore_many = redqueen.restore_many
        self._curriculum = redqueen.Curriculum(suite, method=method, seed=seed, **settings)
        self._lock = threading.Lock()

    def next_batch(self, n: int) -> list:
        with self._lock:
            return self._curriculum.next_batch(n)

    def stream(self, name: str, at_once: int = 16) -> Iterator:
        """Problems without end, `at_once` drawn at a time. `name` is for servers, where several processes read one stream."""
        while True:
            yield from self.next_batch(at_once)

    def update(self, addresses: Sequence[str], verdicts: Sequence[Any]) -> None:
        """Learns from the problems of training; those of evaluation teach nothing."""
        kept = [(a, v) for a, v in zip(addresses, verdicts, strict=True) if split_of(a) == "train"]
        problems = self._restore_many([a for a, _ in kept])
        with self._lock:
            self._curriculum.update(problems, [v for _, v in kept])

    def levels(self) -> dict:
        return self._curriculum.levels()

    def __reduce__(self):  # data sets write their sources down to know them again, and read none of it back
        return _of_another_process, (id(self),)


def _of_another_process(_: int) -> None:
    raise ValueError("this curriculum belongs to the process that made it; a server's can be shared (redqueen serve, url=…)")


class _Where:
    """The part that both have."""

    restore_many: Any

    def __init__(self) -> None:
        self._turns: dict[tuple, int] = {}

    def turns(self, address: str) -> int:
        """The most turns of an episode of the problem, or of another one of its level, which was asked first. 1: one question,
        one answer, which all problems of an environment have in common."""
        match = _ADDRESS.fullmatch(address)
        level = match.group("name", "version", "level") if match else (address,)
        if level not in self._turns:
            self._turns[level] = self.max_turns(address)
        return self._turns[level]

    def worlds(self, addresses: Sequence[str]) -> dict[str, Any]:
        """Those of the problems that are worlds, by address. Tools and the most turns are each problem's own."""
        several = [address for address in addresses if self.turns(address) > 1]
        return dict(zip(several, self.restore_many(several)))

    def max_turns(self, address: str) -> int:
        raise NotImplementedError


class Local(_Where):
    """The engine in this process."""

    def __init__(self) -> None:
        import redqueen

        super().__init__()
        self.restore, self.restore_many, self.score_many = redqueen.restore, redqueen.restore_many, redqueen.score_many
        self.describe = redqueen.describe

    def dataset(self, suite: str | Sequence[str], levels: Sequence[int], size: int, split: str = "train", seed: int = 0) -> list[dict]:
        import redqueen

        return redqueen.dataset(suite, levels, size=size, split=split, seed=seed, as_list=True)

    def Curriculum(self, suite: str | Sequence[str], method: str = "rlve", seed: int = 0, **settings: Any) -> LocalCurriculum:
        return LocalCurriculum(suite, method, seed, settings)

    def max_turns(self, address: str) -> int:
        return self.restore(address).max_turns


class Remote(_Where):
    """Servers."""

    def __init__(self, client: Client):
        super().__init__()
        self.client = client
        self.restore, self.restore_many = client.restore, client.restore_many
        self.score_many, self.describe = client.score_many, client.describe

    def dataset(self, suite: str | Sequence[str], levels: Sequence[int], size: int, split: str = "train", seed: int = 0) -> list[dict]:
        return self.client.dataset(suite, levels, size, split, seed, as_list=True)

    def Curriculum(self, suite: str | Sequence[str], method: str = "rlve", seed: int = 0, **settings: Any) -> SharedCurriculum:
        _refuse_formats(settings)
        return self.client.Curriculum(suite, method, seed, **settings)

    def max_turns(self, address: str) -> int:
        opened = self.client._ask("POST", "/v1/episodes", {"address": address})
        return self.client._ask("POST", "/v1/episodes/state", {"episode": opened["episode"]})["max_turns"]

    def __reduce__(self):
        return Remote, (self.client,)


@functools.lru_cache(maxsize=None)
def _source(urls: tuple[str, ...]) -> Local | Remote:
    return Remote(connect(urls)) if urls else Local()


def urls_of(url: str | Iterable[str] | None = None) -> tuple[str, ...]:
    """The URLs of servers, however settings have them: a text with commas, any list; None stands for `$REDQUEEN_URL`."""
    if url is None:
        url = os.environ.get("REDQUEEN_URL", "")
    return tuple(u.strip() for u in (url.split(",") if isinstance(url, str) else url) if u.strip())


def source(url: str | Iterable[str] | Client | None = None) -> Local | Remote:
    """The servers at `url`, else those of `$REDQUEEN_URL`, else this process."""
    return Remote(url) if isinstance(url, Client) else _source(urls_of(url))


def curriculum(suite: str | Sequence[str], url: Any = None, **settings: Any) -> Any:
    """A curriculum over a suite. Several processes need a server and an `id` to share one.

    Args:
        url: servers; else `$REDQUEEN_URL`, else the engine in this process.
        settings: of `redqueen.Curriculum`, and with servers `id`.
    """
    return source(url).Curriculum(suite, **settings)


def served(url: Any) -> Remote:
    """The servers at `url` or of `$REDQUEEN_URL`, for trainers whose processes can share a curriculum in no other way."""
    where = source(url or None)
    if not isinstance(where, Remote):
        raise ValueError("this trainer's processes share a curriculum through a server: name its URL, or set REDQUEEN_URL")
    return where


def named_suite(given: Any, setting: str) -> str | list[str]:
    """A suite as settings have it, a name or a list of any kind; `setting` is where it belongs, for the error's text."""
    if not given:
        raise ValueError(f"a curriculum needs a suite or environments to draw from: set {setting}")
    return given if isinstance(given, str) else [*given]


_ATTEMPTS = 8  # the rare problem that cannot be made has another drawn in its place


def drawn(curriculum: Any, name: str, number: int) -> Any:
    """The problem of this number in a stream of draws of this name: the same for all who ask."""
    for attempt in range(_ATTEMPTS):
        problems = curriculum.draw(f"{name}/{attempt}", number, 1)
        if problems:
            return problems[0]
    raise ValueError(f"the curriculum {curriculum.id} gave no problem in {_ATTEMPTS} draws: can its environments make some? "
                     "`redqueen gym sample NAME --level L` shows one")


def only_environment(where: Any, name: str, level: int = 0) -> str:
    """`name`, if it is one environment: of a suite, one problem at a time would be the first environment's for ever."""
    named = {row["environment"] for row in where.dataset(name, [level], 2)}
    if len(named) > 1:
        raise ValueError(f"{name} is a suite of several environments; name one of them")
    return name


def one_answer(where: Any, addresses: Sequence[str], instead: str) -> None:
    """Refuses worlds, whose episodes have several turns, where a whole response is one answer.

    Args:
        instead: what plays them, for the error's text.
    """
    for address in addresses:
        if where.turns(address) > 1:
            raise ValueError(f"{address.partition('@')[0]} is a world of several turns, and one response is no episode of it: {instead}")


class Teller:
    """Tells a curriculum of verdicts that come one by one, together as they come: one message is under way at a time.

    What waits at the end of the program is told before it ends.
    """

    def __init__(self, curriculum: Any):
        self._curriculum = curriculum
        self._waiting: list[tuple[str, bool]] = []
        self._changed = threading.Condition()
        self._process = 0
        self._busy = False
        atexit.register(self.flush)

    def tell(self, address: str, solved: bool) -> None:
        with self._changed:
            if self._process != os.getpid():  # threads do not survive a fork
                self._process, self._busy, self._waiting = os.getpid(), False, []
                threading.Thread(target=self._run, name="redqueen-teller", daemon=True).start()
            self._waiting.append((address, bool(solved)))
            self._changed.notify_all()

    def flush(self, seconds: float = 30.0) -> None:
        """Waits until all is told."""
        with self._changed:
            if self._process == os.getpid():
                self._changed.wait_for(lambda: not self._waiting and not self._busy, seconds)

    def _run(self) -> None:
        while True:
            with self._changed:
                self._changed.wait_for(lambda: self._waiting)
                told, self._waiting, self._busy = self._waiting, [], True
            try:
                self._curriculum.update([address for address, _ in told], [solved for _, solved in told])
            except Exception as error:  # a score must not fail because its curriculum is away
                warnings.warn(f"{len(told)} scores did not reach the curriculum: {error}", stacklevel=1)
            with self._changed:
                self._busy = False
                self._changed.notify_all()


@functools.lru_cache(maxsize=None)
def _teller(urls: tuple[str, ...], id: str) -> Teller:
    return Teller(served(urls).client.join(id))


def teller(url: Any, id: str) -> Teller:
    """The one that tells the curriculum `id` of the servers at `url` from this process."""
    return _teller(urls_of(url), id)


def text_of(completion: Any) -> str:
    """The text of a completion: itself, or the last message's."""
    if isinstance(completion, str):
        return completion
    if isinstance(completion, dict):
        content = completion.get("content")
        if isinstance(content, list):
            return "".join(part.get("text", "") for part in content if isinstance(part, dict))
        return content or ""
    return text_of(completion[-1]) if completion else ""


def split_of(address: str) -> str:
    """`test` for a problem of the split that evaluation asks, else `train`."""
    match = _ADDRESS.fullmatch(address)
    if not match:
        raise ValueError(f'"{address}" is not a problem\'s address; expected NAME@VERSION/LEVEL/SEED')
    return "train" if int(match["salt"] or "0", 16) else "test"

"""A curriculum that lives on a server, for any number of trainers."""
from __future__ import annotations

import itertools
import os
import threading
import typing
import uuid
from collections.abc import Iterable, Iterator

from . import _arguments, _solved
from ._native import UsageError
from ._types import Client
from .remote import PLAIN, Format, Problem, ServerError, Suite, address_of

_MOST_ITEMS = 4096  # of a request, as the server has it
_MOST_ROUNDS = 20  # draws that may come back incomplete before a batch is given up, as in the package


class SharedCurriculum:
    """A curriculum that lives on its owner, the first server of the list, and that any number of trainers share.

    Every message has this client's name and a number, so that one that is sent again counts once and is answered alike.

    Args:
        suite: a suite's name, or names of environments.
        method: `rlve` is the rule of RLVE; else a name that `difficulty` of the server's curricula takes.
        seed: of the draws.
        prompt, tolerant: how problems are asked and their answers read, as in `redqueen.make`.
        id: by which others find it; without one it is made up.
        settings: more of `POST /v1/curricula`: accuracy_threshold, minimum_groups, width, low, high, rollouts, …
    """

    def __init__(self, client: Client, suite: str, method: str = "rlve", seed: int = 0, *, prompt: str = "plain",
                 tolerant: bool = False, id: str | None = None, **settings: typing.Any):
        self._attach(client, id or f"c-{uuid.uuid4().hex}", uuid.uuid4().hex, Format(prompt, tolerant))
        self._ask("POST", "", {"id": self.id, "suite": suite, "seed": seed,
                               "difficulty": "adaptive" if method == "rlve" else method, **settings})

    def _attach(self, client: Client, id: str, name: str, format: Format) -> None:
        self._client, self.id, self._format = client, id, format
        self._name, self._sequence, self._drawn = name, 0, 0
        self._lock, self._process = threading.Lock(), os.getpid()

    @classmethod
    def joined(cls, client: Client, id: str, format: Format = PLAIN) -> SharedCurriculum:
        """That of this id, which somebody else has made."""
        curriculum = cls.__new__(cls)
        curriculum._attach(client, id, uuid.uuid4().hex, format)
        curriculum._ask("GET", f"/{id}")
        return curriculum

    def _count_anew_after_a_fork(self) -> None:
        # Two processes that count alike under one name would be taken for one that sends everything twice.
        if self._process != os.getpid():
            self._attach(self._client, self.id, uuid.uuid4().hex, self._format)

    def _ask(self, method: str, path: str, body: typing.Any = None) -> typing.Any:
        return self._client._ask(method, "/v1/curricula" + path, body, of=lambda: self._client.owner)

    def next_batch(self, count: int, prompt: str | None = None) -> list[Problem]:
        """The next `count` problems, one at least, at the levels where the curriculum stands. Raises ServerError where
        problems cannot be made, after several attempts."""
        count = _arguments.batch_size(count)
        batch: list[Problem] = []
        short = 0
        self._count_anew_after_a_fork()
        with self._lock:
            while len(batch) < count:
                wanted = min(count - len(batch), _MOST_ITEMS)
                rows = self._draw(self._name, self._drawn + 1, wanted, prompt)
                self._drawn += 1
                made = self._problems(rows, prompt)
                batch += made
                short += len(made) < wanted
                if short == _MOST_ROUNDS:
                    faults = [row["error"] for row in rows if "error" in row]
                    raise ServerError(faults[-1] if faults else f"the curriculum {self.id!r} gives no problems")
        return batch

    def stream(self, name: str, at_once: int = 16, prompt: str | None = None, first: int = 1) -> Iterator[Problem]:
        """Problems without end, `at_once` drawn at a time.

        Every process that reads the stream of one name sees the same problems, whichever comes first, as long as none
        falls 256 draws behind. `first` is the number of the first draw, for a stream that goes on.
        """
        for sequence in itertools.count(first):
            yield from self.draw(name, sequence, at_once, prompt)

    def draw(self, name: str, sequence: int, count: int, prompt: str | None = None) -> list[Problem]:
        """The draw of this number in the stream of this name: `count` problems, rarely fewer, and the same for all who ask."""
        return self._problems(self._draw(name, sequence, count, prompt), prompt)

    def _draw(self, name: str, sequence: int, count: int, prompt: str | None) -> list[dict]:
        asked = {"count": min(count, _MOST_ITEMS), "prompt": self._asked(prompt).prompt, "client": name, "sequence": sequence}
        return self._ask("POST", f"/{self.id}/problems", asked)["problems"]

    def _problems(self, rows: list[dict], prompt: str | None) -> list[Problem]:
        # The rare problem that cannot be made is left out.
        return [Problem(self._client, row, self._asked(prompt)) for row in rows if "prompt" in row]

    def _asked(self, prompt: str | None) -> Format:
        return self._format if prompt is None else Format(prompt, self._format.tolerant)

    def update(self, problems: Iterable[Problem | str], verdicts: Iterable[typing.Any], *, end_step: bool = True) -> int:
        """Learns from verdicts, which are what `score_many` gave, or the bare truth values of `solved`.

        A step that comes in several pieces ends with the last; levels move then.

        Args:
            problems: problems or their addresses; one may stand there many times, once for each attempt.

        Returns:
            how many counted: those of this curriculum's own training problems.
        """
        problems, truths = _solved.attempted(problems), _solved.solved(verdicts)
        if len(problems) != len(truths):
            raise UsageError(f"update needs a verdict for each problem: there are {len(problems)} problems and {len(truths)} verdicts")
        addresses = [address_of(problem, "update", index) for index, problem in enumerate(problems)]
        # One that was restored from a parameter has none, and counts for nothing.
        items = [{"address": address, "solved": solved} for address, solved in zip(addresses, truths) if address is not None]
        counted = 0
        self._count_anew_after_a_fork()
        with self._lock:  # messages leave in the order of their numbers
            for start in range(0, max(len(items), 1), _MOST_ITEMS):  # an empty step ends, too
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

    @property
    def suite(self) -> Suite:
        """What it draws from."""
        return self._client.load_suite(self._ask("GET", f"/{self.id}")["settings"]["suite"])

    @property
    def drawn(self) -> int:
        """How many problems were drawn, by all who share it."""
        return self._ask("GET", f"/{self.id}")["drawn"]

    def state(self) -> dict:
        """What `load` of a later process needs to go on; the levels themselves are in the owner's `--state` file.

        What was done after it was taken is not done again: those draws give the same problems, and their outcomes, which
        counted the first time, teach nothing more (as far back as the owner remembers, 256 messages).
        """
        return {"id": self.id, "client": self._name, "sequence": self._sequence, "drawn": self._drawn}

    def load(self, state: dict) -> None:
        """Goes on where state() was taken."""
        missing = [key for key in ("id", "client", "sequence", "drawn") if key not in state]
        if missing:
            raise UsageError(f"this is no state of a server's curriculum: it has no {missing[0]!r}")
        self.id, self._name = state["id"], state["client"]
        self._sequence, self._drawn = int(state["sequence"]), int(state["drawn"])
        self._ask("GET", f"/{self.id}")

    def __reduce__(self) -> tuple[typing.Any, ...]:  # every process that gets a copy counts its own messages
        return type(self).joined, (self._client, self.id, self._format)

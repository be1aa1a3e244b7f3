"""Many episodes at once, in EnvPool's manner: `recv` gives what is ready, `send` sends it on.

    pool = Pool("household", num_envs=64, batch_size=16)
    pool.async_reset()
    while training:
        texts, rewards, terminated, truncated, info = pool.recv()
        pool.send(policy(texts), info["env_id"])
"""
from __future__ import annotations

import itertools
import queue
import threading
from concurrent.futures import ThreadPoolExecutor
from typing import Any, Sequence

from ._source import curriculum, source, text_of  # noqa: F401


class Pool:
    """`num_envs` episodes, of which `recv` gives the first `batch_size` that are ready.

    An episode that has ended begins anew with the next problem at the next `send` to it, whatever is sent, as in EnvPool.
    Problem k of the pool is the k-th of the environment from `seed` on; which episode gets it depends on which is first.
    With a `curriculum` (`curriculum(suite, …)` makes one), it chooses the problems, and every episode that ends tells it what
    was solved.

    Args:
        environment: its name, or a suite; with a curriculum it is left out.
        levels: of the problems.
        batch_size: None: all, so that `recv` after `send` is a step of a synchronous vector.
        threads: that work on episodes.
        url: servers; else `$REDQUEEN_URL`, else the engine in this process.
    """

    def __init__(self, environment: str | None = None, num_envs: int = 1, batch_size: int | None = None, levels: Sequence[int] = (0,), seed: int = 0,
                 split: str = "train", threads: int = 8, url: Any = None, curriculum: Any = None):
        if (environment is None) == (curriculum is None):
            raise ValueError("name an environment, or give a curriculum, which chooses problems of its own")
        self.num_envs, self.batch_size = num_envs, batch_size or num_envs
        if not 1 <= self.batch_size <= num_envs:
            raise ValueError(f"batch_size must be from 1 to {num_envs}, and not {batch_size}")
        self._where = source(url)
        self._environment, self._levels, self._seed, self._split = environment, [*levels], seed, split
        self._rows: list[dict] = []
        self._curriculum = curriculum
        self._numbers = itertools.count()
        self._lock = threading.Lock()
        self._episodes: list[Any] = [None] * num_envs
        self._ready: queue.SimpleQueue = queue.SimpleQueue()
        self._executor = ThreadPoolExecutor(threads, "redqueen-pool")

    def async_reset(self) -> None:
        """Begins every episode; `recv` gives their first texts."""
        for i in range(self.num_envs):
            self._episodes[i] = None
            self._executor.submit(self._work, i, None)

    def send(self, actions: Sequence[str], env_id: Sequence[int]) -> None:
        """Takes turns. Each episode gets one action for every observation of it that `recv` gave."""
        for i, action in zip(env_id, actions, strict=True):
            self._executor.submit(self._work, int(i), action)

    def recv(self) -> tuple[list[str], Any, Any, Any, dict]:
        """Waits for `batch_size` episodes: texts, rewards (float64), terminated, truncated, and info with the arrays env_id,
        elapsed_step and solved, and the lists address and tools."""
        import numpy

        rows: list[dict] = []
        while len(rows) < self.batch_size:
            row = self._ready.get()
            if isinstance(row, BaseException):
                raise row
            rows.append(row)
        columns = {key: [row[key] for row in rows] for key in rows[0]}
        kinds = {"reward": "float64", "terminated": "bool", "truncated": "bool", "env_id": "int64", "elapsed_step": "int64", "solved": "bool"}
        arrays = {key: numpy.array(columns[key], dtype=kind) for key, kind in kinds.items()}
        info = {key: arrays[key] for key in ("env_id", "elapsed_step", "solved")} | {key: columns[key] for key in ("address", "tools")}
        return columns["text"], arrays["reward"], arrays["terminated"], arrays["truncated"], info

    def reset(self) -> tuple[list[str], dict]:
        """Begins every episode and waits for all; `batch_size` must be `num_envs`."""
        self.async_reset()
        texts, _, _, _, info = self.recv()
        return texts, info

    def step(self, actions: Sequence[str], env_id: Sequence[int]) -> tuple[list[str], Any, Any, Any, dict]:
        self.send(actions, env_id)
        return self.recv()

    def close(self) -> None:
        self._executor.shutdown(cancel_futures=True)

    def _problem(self) -> str:
        """The address of the pool's next problem; a page of them is asked for at once."""
        if self._curriculum is not None:
            return self._curriculum.next_batch(1)[0].address
        with self._lock:
            number = next(self._numbers)
            if number >= len(self._rows):
                size = max(2 * len(self._rows), 4 * self.num_envs)
                self._rows = self._where.dataset(self._environment, self._levels, size, split=self._split, seed=self._seed)
            return self._rows[number]["address"]

    def _work(self, i: int, action: str | None) -> None:
        try:
            self._ready.put(self._turn(i, action))
        except BaseException as error:  # a fault belongs to whoever waits in recv
            self._ready.put(error)

    def _turn(self, i: int, action: str | None) -> dict:
        state = self._episodes[i]
        if state is None or state["done"]:
            address = self._problem()
            episode = self._where.restore(address).start()
            self._episodes[i] = {"episode": episode, "address": address, "turns": 0, "done": False}
            return self._row(i, episode.observation, False, False)
        observation, _, terminated, truncated, _ = state["episode"].step(action)
        state["turns"] += 1
        state["done"] = terminated or truncated
        return self._row(i, observation, terminated, truncated)

    def _row(self, i: int, observation: Any, terminated: bool, truncated: bool) -> dict:
        state = self._episodes[i]
        verdict = state["episode"].verdict() if state["done"] else None
        if verdict and self._curriculum is not None:
            self._curriculum.update([state["address"]], [verdict.solved])
        text = observation if isinstance(observation, str) else "\n".join(text_of(message) for message in observation)
        return {"text": text, "reward": verdict.reward if verdict else 0.0, "terminated": terminated, "truncated": truncated,
                "env_id": i, "elapsed_step": state["turns"], "solved": bool(verdict and verdict.solved),
                "address": state["address"], "tools": state["episode"].tools}

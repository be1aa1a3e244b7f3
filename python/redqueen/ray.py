"""Servers on a Ray cluster: an actor holds each process, Ray restarts the actors, and clients ask the servers themselves.

    import ray, redqueen.ray
    ray.init()
    with redqueen.ray.Fleet(replicas=8) as fleet:
        rewards = fleet.client().score_many(problems, texts).rewards

No score travels through Ray: it places processes and tells where they are. A client keeps that list, and asks for it
beside its requests, never before one.
"""
from __future__ import annotations

import contextlib
import secrets
import threading
import uuid
from typing import Any, Sequence, cast

import ray

from .connect import Client, runs
from .server import Server

_NAMESPACE = "redqueen"
_SECONDS_TO_START = 120.0
_SECONDS_TO_TELL = 5.0  # a replica that does not say where it is within these is left out


@ray.remote(max_restarts=-1)
class Replica:
    """A server process. The actor starts another where that one has died; Ray starts another actor where this one has."""

    def __init__(self, options: Sequence[str], host: str | None, token: str, program: str | None):
        self._how = ([*options], host or ray.util.get_node_ip_address(), token, program)
        self._server = self._start()

    def _start(self) -> Server:
        options, host, token, program = self._how
        return Server(options, host=host, token=token, program=program)

    def where(self) -> dict:
        """URL and process of the server, which lives when this is answered, and the node that it is on."""
        if not self._server.is_alive():
            self._server.stop()
            self._server = self._start()
        return {"url": self._server.url, "process": self._server.process.pid, "node": ray.get_runtime_context().get_node_id()}


class Fleet:
    """Servers on the nodes of a cluster, spread over them.

    Args:
        replicas: processes; None: one for every node.
        options: more of the command line of `redqueen serve`, such as `["--threads", "4"]`.
        num_cpus: that Ray reserves for each. One core scores some 60,000 single requests a second (docs/serve.md).
        state: the SQLite file of curricula, on storage that every node sees. Its owner alone opens it, and that is the
            first replica, wherever Ray puts it. Without one, curricula end with their owner.
        host: None: the address of each one's node, so that all nodes reach it; `127.0.0.1` on a single machine.
        name: by which other drivers and workers find the fleet with `attach`; one is made up.
        program: the binary `redqueen`, if not the one that `redqueen.server.binary` finds on the node.
    """

    def __init__(self, replicas: int | None = None, options: Sequence[str] = (), num_cpus: float = 1.0, state: str | None = None,
                 host: str | None = None, name: str | None = None, program: str | None = None):
        count = replicas or sum(node["Alive"] for node in ray.nodes())
        self._is_mine = True
        self.name = name or f"fleet-{uuid.uuid4().hex[:8]}"
        self._token = secrets.token_urlsafe(24)
        self._actors = []
        for i in range(count):
            own = [*options, "--state", state] if state and i == 0 else [*options]
            placed = cast(Any, Replica).options(name=f"{self.name}/{i}", namespace=_NAMESPACE, num_cpus=num_cpus, scheduling_strategy="SPREAD")
            self._actors.append(placed.remote(own, host, self._token, program))
        self._registry = cast(Any, _Registry).options(name=self.name, namespace=_NAMESPACE, num_cpus=0).remote(count, self._token)
        self._clients: list[_Follower] = []
        self._places = self._ask(_SECONDS_TO_START)
        if None in self._places:
            self.stop()
            raise RuntimeError(f"{self._places.count(None)} of {count} servers did not start within {_SECONDS_TO_START:g} s; "
                               "`ray status` tells whether the cluster has CPUs for them")

    @classmethod
    def attach(cls, name: str) -> Fleet:
        """The fleet that another driver has started on this cluster; `stop` leaves its servers alone."""
        fleet = cls.__new__(cls)
        fleet._is_mine = False
        fleet.name = name
        fleet._registry = ray.get_actor(name, namespace=_NAMESPACE)
        count, fleet._token = ray.get(fleet._registry.get.remote())
        fleet._actors = [ray.get_actor(f"{name}/{i}", namespace=_NAMESPACE) for i in range(count)]
        fleet._clients, fleet._places = [], fleet._ask(_SECONDS_TO_TELL)
        return fleet

    def places(self) -> list[dict | None]:
        """Where each replica is now (url, process, node); None for one that is being restarted."""
        return self._ask(_SECONDS_TO_TELL)

    def client(self, interval: float = 0.5, **settings: Any) -> Client:
        """A client that learns every `interval` seconds where the servers are. The settings are those of `redqueen.connect`."""
        urls = [place["url"] for place in self._places if place]
        follower = _Follower(self, Client(urls, token=self._token, **settings), interval)
        self._clients.append(follower)
        return follower.client

    def stop(self) -> None:
        """Ends the threads that follow the servers, and those servers that this fleet has started."""
        for follower in self._clients:
            follower.stop()
        for actor in [*self._actors, self._registry] if self._is_mine else []:
            with contextlib.suppress(Exception):  # one that is gone already
                ray.kill(actor)

    def __enter__(self) -> Fleet:
        return self

    def __exit__(self, *_: object) -> None:
        self.stop()

    def _ask(self, seconds: float) -> list[dict | None]:
        asked = [actor.where.remote() for actor in self._actors]
        ready, _ = ray.wait(asked, num_returns=len(asked), timeout=seconds)
        places: list[dict | None] = []
        for reference in asked:
            try:
                places.append(ray.get(reference) if reference in ready else None)
            except ray.exceptions.RayError:  # it died while it was asked
                places.append(None)
        return places


@ray.remote
class _Registry:
    """What `attach` needs to know of a fleet."""

    def __init__(self, count: int, token: str):
        self._known = count, token

    def get(self) -> tuple[int, str]:
        return self._known


class _Follower:
    """A thread that tells a client where the servers are."""

    def __init__(self, fleet: Fleet, client: Client, interval: float):
        self.client = client
        self._fleet, self._interval = fleet, interval
        self._stopped = threading.Event()
        self._thread = threading.Thread(target=self._run, name="redqueen-fleet", daemon=True)
        self._thread.start()

    def stop(self) -> None:
        self._stopped.set()
        self._thread.join()

    def _run(self) -> None:
        # A call to Ray would start a cluster where there is none any more.
        while not self._stopped.wait(self._interval) and ray.is_initialized():
            try:
                places = self._fleet.places()
            except Exception:  # the cluster is away for a while; the list that there is stays
                continue
            urls = [place["url"] for place in places if place]
            # Curricula are the first replica's. While it is away, its old URL is asked until the new one is known.
            owner = places[0]["url"] if places[0] else self.client.owner
            if urls:
                self.client.replace(urls, owner=owner)


def dataset(fleet: Fleet, suite: str | Sequence[str], levels: Sequence[int], size: int, split: str = "train", seed: int = 0,
            batch_size: int = 1024) -> Any:
    """A `ray.data.Dataset` of `size` rows with prompt, environment, level, seed, split and address, made where it is read.

    Row k is the same on every cluster: it is the k-th problem of the suite, as `Client.select` counts them.
    """
    import ray.data

    client = Client([place["url"] for place in fleet.places() if place], token=fleet._token)
    keys = ("prompt", "environment", "level", "seed", "split", "address")

    def make(batch: dict) -> dict:
        import numpy

        made: list = []
        for first, count in runs([int(id) for id in batch["id"]]):  # a batch may join pieces of several blocks
            made += client.select(suite, levels, count, seed, split, first=first)
        return {key: numpy.array([getattr(problem, key) for problem in made]) for key in keys}

    return ray.data.range(size).map_batches(make, batch_size=batch_size)

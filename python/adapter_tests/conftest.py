"""Servers for these tests: the program that the build made, on free ports."""
import os
import pathlib
import sys

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
os.environ.setdefault("REDQUEEN_BINARY", str(ROOT / "build/redqueen"))
os.environ.setdefault("TRL_EXPERIMENTAL_SILENCE", "1")
os.environ.setdefault("HF_HUB_OFFLINE", "1")

from redqueen.connect import Client, connect  # noqa: E402
from redqueen.server import Server  # noqa: E402


@pytest.fixture(scope="session")
def server():
    with Server(["--threads", "2"]) as started:
        yield started


@pytest.fixture
def client(server) -> Client:
    return connect(server.url)


def package(name: str):
    """A trainer's package. `REDQUEEN_TRAINERS` names those that must be there; without it a test of an absent one is skipped."""
    if name in os.environ.get("REDQUEEN_TRAINERS", "").split(","):
        __import__(name)
        return sys.modules[name]
    return pytest.importorskip(name)


@pytest.fixture(params=["server", "engine"])
def where(request, monkeypatch):
    """A URL, and None: what adapters ask is a server, or the engine in this process."""
    monkeypatch.delenv("REDQUEEN_URL", raising=False)
    return request.getfixturevalue("server").url if request.param == "server" else None


def sorted_answer(prompt: str) -> str:
    """The answer to a prompt of Sorting."""
    return " ".join(sorted(prompt.splitlines()[1].split(), key=int))


def marked(prompt: str) -> str:
    return f"I think so.\n<answer>{sorted_answer(prompt)}</answer>"


def turns_of(problem) -> list[str]:
    """What a policy says, turn by turn, that solves a problem of `household`: its reference, which only the engine tells."""
    import json

    calls = [call for message in json.loads(problem.reference) for call in message["tool_calls"]]
    return [" ".join([{"go": "go to"}.get(call["name"], call["name"]), *call["arguments"].values()]) for call in calls]

"""Servers for these tests: the program that the build made, on free ports."""
import os

import pytest
from support import ROOT

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


@pytest.fixture(params=["server", "engine"])
def where(request, monkeypatch):
    """A URL, and None: what adapters ask is a server, or the engine in this process."""
    monkeypatch.delenv("REDQUEEN_URL", raising=False)
    return request.getfixturevalue("server").url if request.param == "server" else None

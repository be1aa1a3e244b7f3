"""NeMo Gym: rows for `redqueen serve`, which speaks the protocol of its resources servers."""
from __future__ import annotations

import urllib.parse
from typing import Any, Sequence

from ._source import source


def rows(suite: str | Sequence[str], levels: Sequence[int], size: int, split: str = "train", seed: int = 0,
         agent: str = "redqueen_agent", url: Any = None) -> list[dict]:
    """Problems as NeMo Gym's agents read them (JSON lines); the server scores by `address`."""
    return [{"responses_create_params": {"input": [{"role": "user", "content": p["prompt"]}]}, "address": p["address"],
             "agent_ref": {"type": "responses_api_agents", "name": agent}}
            for p in source(url).dataset(suite, levels, size, split=split, seed=seed)]


def config(url: str, agent: str = "redqueen_agent", model: str = "policy_model") -> dict:
    """What NeMo Gym's configuration says of a running server and of an agent that asks it, ready for YAML."""
    parts = urllib.parse.urlsplit(url)
    return {
        "redqueen": {"resources_servers": {"redqueen": {
            "host": parts.hostname, "port": parts.port or 80, "entrypoint": "app.py", "domain": "math"}}},
        agent: {"responses_api_agents": {"simple_agent": {
            "entrypoint": "app.py", "resources_server": {"type": "resources_servers", "name": "redqueen"},
            "model_server": {"type": "responses_api_models", "name": model}}}},
    }

"""NeMo Gym: rows and configuration for `redqueen serve`, which speaks the protocol of its resources servers."""
from __future__ import annotations

import json
import os
import pathlib
import urllib.parse
from typing import Any, Sequence

from ._source import source

_NAME = "redqueen"
_STAND_IN = '''"""Stands for a running `redqueen serve`: NeMo Gym starts a process for each server of its configuration, and stops it."""
import signal

signal.pause()
'''


def rows(suite: str | Sequence[str], levels: Sequence[int], size: int, split: str = "train", seed: int = 0,
         agent: str = "redqueen_agent", world_agent: str = "redqueen_world_agent", url: Any = None) -> list[dict]:
    """Problems as NeMo Gym's agents read them (JSON lines); the server scores by `address`.

    Args:
        agent: the one that asks once.
        world_agent: the one that plays worlds, turn by turn; a row has its problem's own tools, and the server gives the text.
    """
    where = source(url)
    problems = where.dataset(suite, levels, size, split=split, seed=seed)
    worlds = where.worlds([p["address"] for p in problems])
    made = []
    for p in problems:
        world = worlds.get(p["address"])
        asked: dict[str, Any] = {"input": [{"role": "user", "content": p["prompt"]}]}
        if world:
            tools = [{"type": "function", "name": tool["name"], "description": tool["description"],
                      "parameters": tool.get("parameters") or {}, "strict": False} for tool in world.tools]
            asked = {"input": [], "tools": tools}
        made.append({"responses_create_params": asked, "address": p["address"],
                     "agent_ref": {"type": "responses_api_agents", "name": world_agent if world else agent}})
    return made


def config(url: str, agent: str = "redqueen_agent", world_agent: str = "redqueen_world_agent", model: str = "policy_model",
           domain: str = "other", max_steps: int = 64) -> dict:
    """What NeMo Gym's configuration says of a running server and of the agents that ask it, ready for YAML.

    Args:
        model: the name of the model's server in the rest of the configuration.
        domain: of NeMo Gym's, by which it sorts results: math, coding, agent, games, other, …
        max_steps: of an episode of a world.
    """
    parts = urllib.parse.urlsplit(url)
    if parts.scheme != "http" or not parts.hostname or parts.path.strip("/"):
        raise ValueError(f"NeMo Gym knows a server by host and port alone: expected http://HOST:PORT, and not {url}")
    resources = {"type": "resources_servers", "name": _NAME}
    policy = {"type": "responses_api_models", "name": model}

    def relay(name: str) -> dict:
        return {"environment_servers": {"legacy_agent": {
            "entrypoint": "app.py", "agent_server": {"type": "responses_api_agents", "name": name}}}}

    return {
        _NAME: {"resources_servers": {_NAME: {
            "host": parts.hostname, "port": parts.port or 80, "entrypoint": "app.py", "domain": domain}}},
        agent: {"responses_api_agents": {"simple_agent": {
            "entrypoint": "app.py", "resources_server": resources, "model_server": policy}}},
        world_agent: {"responses_api_agents": {"gymnasium_agent": {
            "entrypoint": "app.py", "resources_server": resources, "model_server": policy, "max_steps": max_steps}}},
        f"{agent}_environment_server": relay(agent),
        f"{world_agent}_environment_server": relay(world_agent),
    }


def write(folder: str | os.PathLike, url: str, **settings: Any) -> pathlib.Path:
    """Writes `redqueen.yaml` into the folder that NeMo Gym is started in, with `config(url, …)` in it.

    NeMo Gym starts a process for each server that its configuration names, from a folder of the server's kind and name. So
    `resources_servers/redqueen` is written, too: a program that waits, while `redqueen serve` at `url` answers.

    Returns:
        the path of `redqueen.yaml`, for `gym env start --config`.
    """
    place = pathlib.Path(folder)
    program = place / "resources_servers" / _NAME
    program.mkdir(parents=True, exist_ok=True)
    (program / "app.py").write_text(_STAND_IN, encoding="utf-8")
    (program / "requirements.txt").write_text("", encoding="utf-8")
    path = place / "redqueen.yaml"
    path.write_text(json.dumps(config(url, **settings), indent=2) + "\n", encoding="utf-8")  # JSON is YAML
    return path

"""OpenEnv: its own client, pointed at `redqueen serve`, which speaks its protocol.

    with openenv.client("http://127.0.0.1:8000").sync() as env:
        first = env.reset(environment="Sorting", level=1, seed=0)
        last = env.step({"response": "<answer>1 2 3</answer>"})   # last.reward
"""
from __future__ import annotations

import os
from typing import Any


def client(url: str | None = None, token: str | None = None, **options: Any) -> Any:
    """An `openenv` client (asynchronous; `.sync()` is the other one) of the server at `url`, else `$REDQUEEN_URL`.

    token: what the server asks for; `$REDQUEEN_TOKEN` if there is one.
    """
    from openenv.core.generic_client import GenericEnvClient

    found = url or os.environ.get("REDQUEEN_URL", "").split(",")[0]
    if not found:
        raise ValueError("OpenEnv speaks to a server; name its URL, or set REDQUEEN_URL")
    token = token if token is not None else os.environ.get("REDQUEEN_TOKEN")
    if token:
        options["headers"] = {"Authorization": f"Bearer {token}", **(options.get("headers") or {})}
    return GenericEnvClient(base_url=found.rstrip("/"), **options)

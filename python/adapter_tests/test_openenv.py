"""OpenEnv's own client against the server; NeMo Gym's rows as its agents send them on."""
import json
import pathlib
import subprocess
import sys
import urllib.request

import pytest
from support import marked, package

from redqueen.adapters import nemo_gym
from redqueen.connect import connect
from redqueen.server import Server


def test_openenvs_client_plays(server, monkeypatch):
    package("openenv")
    from redqueen.adapters import openenv

    monkeypatch.setenv("REDQUEEN_URL", server.url)
    with openenv.client().sync() as env:
        first = env.reset(environment="Sorting", level=1, seed=4)
        last = env.step({"response": marked(first.observation["prompt"])})
        assert last.done and last.reward == 1.0 and last.observation["solved"]
    monkeypatch.delenv("REDQUEEN_URL")
    with pytest.raises(ValueError, match="REDQUEEN_URL"):
        openenv.client()


def test_openenvs_client_sends_the_token(monkeypatch):
    package("openenv")
    from redqueen.adapters import openenv

    monkeypatch.delenv("REDQUEEN_TOKEN", raising=False)
    with Server(token="secret") as server:
        with pytest.raises(ConnectionError, match="401"), openenv.client(server.url).sync() as env:
            env.reset(environment="Sorting")
        with openenv.client(server.url, token="secret").sync() as env:
            assert "prompt" in env.reset(environment="Sorting").observation
        monkeypatch.setenv("REDQUEEN_TOKEN", "secret")
        with openenv.client(server.url, headers={"X-Else": "1"}).sync() as env:
            assert "prompt" in env.reset(environment="Sorting").observation


def test_a_loop_around_openenvs_client_raises_its_curriculum(server):
    package("openenv")
    from redqueen.adapters import openenv

    drawn = connect(server.url).Curriculum("Sorting", rollouts=1, minimum_groups=1, width=1)
    with openenv.client(server.url).sync() as env:
        for problem in (problem for _ in range(6) for problem in drawn.next_batch(1)):
            first = env.reset(address=problem.address)
            last = env.step({"response": marked(first.observation["prompt"])})
            assert drawn.update([problem], [last.observation["solved"]]) == 1
    assert drawn.levels()["Sorting"][1] >= 4


def test_a_row_of_nemo_gym_is_verified(server, where):
    """The request of NeMo Gym 0.7's simple_agent: the row with the model's response beside it."""
    row = nemo_gym.rows("Sorting", [1], 2, url=where)[1]
    prompt = row["responses_create_params"]["input"][0]["content"]
    said = {"id": "r", "created_at": 0, "model": "m", "object": "response", "parallel_tool_calls": True, "tool_choice": "auto", "tools": [],
            "output": [{"id": "m", "type": "message", "role": "assistant", "status": "completed",
                        "content": [{"type": "output_text", "text": marked(prompt), "annotations": []}]}]}
    request = urllib.request.Request(f"{server.url}/verify", json.dumps({**row, "response": said}).encode(), {"content-type": "application/json"})
    with urllib.request.urlopen(request) as answer:
        assert json.load(answer)["reward"] == 1.0


def test_the_configuration_is_whole(tmp_path):
    """The rules of NeMo Gym 0.7's configuration, recorded; scripts/clients/nemo_gym_agents.py lets the package read it."""
    path = nemo_gym.write(tmp_path, "http://rewards.example:8123", agent="mine", model="my_model")
    made = json.loads(path.read_text())
    assert made == nemo_gym.config("http://rewards.example:8123", agent="mine", model="my_model")
    kinds = {"resources_servers", "responses_api_agents", "responses_api_models", "environment_servers"}
    servers = {("responses_api_models", "my_model")}
    for name, block in made.items():
        (kind, inner), = block.items()  # one kind, one server of it
        (_, server), = inner.items()
        assert kind in kinds and not pathlib.Path(server["entrypoint"]).is_absolute()
        servers.add((kind, name))
    references, fronted = set(), set()
    for block in made.values():
        (kind, inner), = block.items()
        (program, server), = inner.items()
        named = {(field["type"], field["name"]) for field in server.values() if isinstance(field, dict)}
        references |= named
        fronted |= {name for type_, name in named if kind == "environment_servers"}
    assert references <= servers
    assert fronted == {name for kind, name in servers if kind == "responses_api_agents"}  # NeMo Gym asks agents through those
    server = made["redqueen"]["resources_servers"]["redqueen"]
    assert (server["host"], server["port"], server["domain"]) == ("rewards.example", 8123, "other")
    # What it starts in the server's name: a folder with requirements, a program that lives until it is stopped.
    folder = tmp_path / "resources_servers/redqueen"
    assert (folder / "requirements.txt").exists()
    process = subprocess.Popen([sys.executable, "app.py"], cwd=folder)
    with pytest.raises(subprocess.TimeoutExpired):
        process.wait(0.5)
    process.terminate()
    assert process.wait() == -15
    for url in ("https://rewards.example", "rewards.example:80", "http://rewards.example/v1"):
        with pytest.raises(ValueError, match="http://HOST:PORT"):
            nemo_gym.config(url)


def begun_by(server, row):
    request = urllib.request.Request(f"{server.url}/reset", json.dumps(row).encode(), {"content-type": "application/json"})
    with urllib.request.urlopen(request) as answer:
        return json.load(answer)


def test_worlds_are_asked_by_the_agent_that_plays_them(server, where):
    """/reset and /step as NeMo Gym's gymnasium_agent calls them, with the row that names the world."""
    single, world = (nemo_gym.rows(name, [0], 1, url=where)[0] for name in ("Sorting", "household"))
    assert single["agent_ref"]["name"] == "redqueen_agent" and "tools" not in single["responses_create_params"]
    assert world["agent_ref"]["name"] == "redqueen_world_agent"
    begun = begun_by(server, world)
    assert world["responses_create_params"] == {"input": [], "tools": begun["info"]["tools"]}


def test_a_row_of_a_world_has_its_own_problems_tools(server, where):
    """Those of `toolcall` differ from problem to problem."""
    rows = nemo_gym.rows("toolcall", [1], 2, url=where)
    offered = [row["responses_create_params"]["tools"] for row in rows]
    assert [begun_by(server, row)["info"]["tools"] for row in rows] == offered
    assert offered[0] != offered[1]

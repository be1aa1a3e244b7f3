"""OpenEnv's own client against the server; NeMo Gym's rows as its agents send them on."""
import json
import urllib.request

import pytest
from conftest import marked, package

from redqueen.adapters import nemo_gym


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


def test_the_configuration_names_the_server():
    made = nemo_gym.config("http://rewards.example:8123", agent="mine")
    assert made["redqueen"]["resources_servers"]["redqueen"]["port"] == 8123
    assert made["mine"]["responses_api_agents"]["simple_agent"]["resources_server"]["name"] == "redqueen"

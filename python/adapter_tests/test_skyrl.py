"""skyrl-gym's own registry makes the environments, and its generator's calls play them. Where it is not installed, its base class
is what recorded.py has of it, and the calls are the same."""
import importlib.util
import json
import os
import time

import pytest
import recorded
from support import marked, package

from redqueen.connect import connect

HAS_SKYRL = importlib.util.find_spec("skyrl_gym") is not None
if "skyrl_gym" in os.environ.get("REDQUEEN_TRAINERS", "").split(","):
    package("skyrl_gym")


@pytest.fixture
def skyrl(monkeypatch):
    if not HAS_SKYRL:
        return recorded.load("redqueen.adapters.skyrl", monkeypatch)
    import skyrl_gym
    from skyrl_gym.envs import registration

    from redqueen.adapters import skyrl as adapter

    registration.registry.pop("redqueen", None)
    skyrl_gym.register(id="redqueen", entry_point="redqueen.adapters.skyrl:RedQueenEnv")
    return adapter


def make(skyrl, row, config):
    if not HAS_SKYRL:
        return skyrl.RedQueenEnv(env_config=config, extras=row)
    import skyrl_gym

    return skyrl_gym.make(row["env_class"], env_config=config, extras=row)


def at(where):
    return {"url": where} if where else {}


def test_one_turn(skyrl, where):
    for row in skyrl.rows("Sorting", [0, 2], 4, url=where):
        for response, expected in ((marked(row["prompt"][0]["content"]), 1.0), ("no", -1.0)):
            env = make(skyrl, row, at(where))
            prompt, _ = env.init(row["prompt"])
            out = env.step(response)
            assert prompt == row["prompt"]
            assert out["done"] and out["reward"] == expected and out["observations"] == []
            assert out["metadata"]["solved"] is (expected == 1.0)


def test_turns_end_with_skyrls_limit(skyrl, where):
    row = skyrl.rows("household", [1], 1, max_turns=3, url=where)[0]
    env = make(skyrl, row, at(where))
    env.init(row["prompt"])
    outs = [env.step("> look") for _ in range(3)]
    assert [out["done"] for out in outs] == [False, False, True]
    assert outs[0]["observations"][0]["role"] == "user" and outs[0]["observations"][0]["content"]
    assert outs[2]["metadata"]["solved"] is False and outs[2]["observations"] == []


def test_rows_of_a_world_have_its_turns(skyrl, where):
    row = skyrl.rows("household", [1], 1, url=where)[0]
    assert row["max_turns"] > 10 and skyrl.rows("Sorting", [1], 1, url=where)[0]["max_turns"] == 1
    with pytest.raises(ValueError, match="generator.max_turns"):
        make(skyrl, {**row, "max_turns": 1}, at(where))  # SkyRL's generator writes its own number there


def calls_of(reference):
    """The turns of a reference as a policy writes them."""
    for turn in json.loads(reference):
        yield turn["text"] + "".join(f'<tool_call>{json.dumps({"name": call["name"], "arguments": call["arguments"]})}</tool_call>'
                                     for call in turn.get("tool_calls", []))


@pytest.mark.parametrize("name", ["toolcall", "apiworld"])
def test_a_policy_sees_its_own_problems_tools_and_calls_them(skyrl, where, name):
    import redqueen

    rows = skyrl.rows(name, [3], 4, url=where)
    for row in rows:
        problem = redqueen.restore(row["reward_spec"]["ground_truth"])
        text, = (message["content"] for message in row["prompt"])
        assert "<answer>" not in text and row["max_turns"] == problem.max_turns
        assert [json.loads(line) for line in text.splitlines() if line.startswith("{")] == problem.tools
        env = make(skyrl, row, at(where))
        assert env.init(row["prompt"])[0] == row["prompt"]
        for turn in calls_of(problem.reference):
            out = env.step(turn)
        assert out["done"] and out["reward"] == 1.0
    assert len({row["prompt"][0]["content"].partition("These functions")[2] for row in rows}) > 1


def test_a_curriculum_draws_for_rows_and_is_told(skyrl, server):
    id = f"skyrl-{time.time_ns()}"
    config = {"url": [server.url, server.url], "curriculum": id, "suite": ["Sorting"],  # both as YAML may have them
              "settings": {"minimum_groups": 1, "rollouts": 2, "width": 1}}
    levels = []
    for row in skyrl.drawn_rows(12):
        group = [make(skyrl, row, config) for _ in range(2)]
        prompts = [env.init(row["prompt"])[0] for env in group]
        assert prompts[0] == prompts[1] != row["prompt"]  # a group has one problem
        for env in group:
            assert env.step(marked(prompts[0][0]["content"]))["reward"] == 1.0
        skyrl.teller([server.url, server.url], id).flush()
        levels.append(connect(server.url).join(id).levels()["Sorting"][1])
    assert levels == sorted(levels) and levels[-1] >= 8
    assert connect(server.url)._ask("GET", f"/v1/curricula/{id}")["scored"] == 24
    with pytest.raises(ValueError, match="`curriculum` and `suite`"):
        make(skyrl, row, {"url": server.url})


def test_drawn_worlds_have_their_tools(skyrl, server):
    config = {"url": server.url, "curriculum": f"skyrl-{time.time_ns()}", "suite": "toolcall"}
    row = skyrl.drawn_rows(1, max_turns=4)[0]
    (message,), _ = make(skyrl, row, config).init(row["prompt"])
    assert "These functions are on offer" in message["content"] and "<answer>" not in message["content"]

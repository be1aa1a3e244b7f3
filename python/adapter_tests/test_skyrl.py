"""skyrl-gym's own registry makes the environments, and its generator's calls play them."""
import time

import pytest
from conftest import marked, package

skyrl_gym = package("skyrl_gym")
from redqueen.adapters import skyrl  # noqa: E402
from redqueen.connect import connect  # noqa: E402


@pytest.fixture(scope="module", autouse=True)
def registered():
    from skyrl_gym.envs import registration

    registration.registry.pop("redqueen", None)
    skyrl_gym.register(id="redqueen", entry_point="redqueen.adapters.skyrl:RedQueenEnv")


def make(row, where):
    return skyrl_gym.make(row["env_class"], env_config={"url": where} if where else {}, extras=row)


def test_one_turn(where):
    for row in skyrl.rows("Sorting", [0, 2], 4, url=where):
        for response, expected in ((marked(row["prompt"][0]["content"]), 1.0), ("no", -1.0)):
            env = make(row, where)
            prompt, _ = env.init(row["prompt"])
            out = env.step(response)
            env.close()
            assert prompt == row["prompt"]
            assert out["done"] and out["reward"] == expected and out["observations"] == []
            assert out["metadata"]["solved"] is (expected == 1.0)


def test_turns_end_with_skyrls_limit(where):
    row = skyrl.rows("household", [1], 1, max_turns=3, url=where)[0]
    env = make(row, where)
    env.init(row["prompt"])
    outs = [env.step("> look") for _ in range(3)]
    assert [out["done"] for out in outs] == [False, False, True]
    assert outs[0]["observations"][0]["role"] == "user" and outs[0]["observations"][0]["content"]
    assert outs[2]["metadata"]["solved"] is False and outs[2]["observations"] == []


def test_rows_of_a_world_have_its_turns(where):
    row = skyrl.rows("household", [1], 1, url=where)[0]
    assert row["max_turns"] > 10 and skyrl.rows("Sorting", [1], 1, url=where)[0]["max_turns"] == 1
    with pytest.raises(ValueError, match="generator.max_turns"):
        make({**row, "max_turns": 1}, where)  # SkyRL's generator writes its own number there


def test_a_curriculum_draws_for_rows_and_is_told(server):
    id = f"skyrl-{time.time_ns()}"
    config = {"url": server.url, "curriculum": id, "suite": "Sorting", "settings": {"minimum_groups": 1, "rollouts": 2, "width": 1}}
    levels = []
    for row in skyrl.drawn_rows(12):
        group = [skyrl_gym.make(row["env_class"], env_config=config, extras=row) for _ in range(2)]
        prompts = [env.init(row["prompt"])[0] for env in group]
        assert prompts[0] == prompts[1] != row["prompt"]  # a group has one problem
        for env in group:
            assert env.step(marked(prompts[0][0]["content"]))["reward"] == 1.0
        skyrl.teller(server.url, id).flush()
        levels.append(connect(server.url).join(id).levels()["Sorting"][1])
    assert levels == sorted(levels) and levels[-1] >= 8
    assert connect(server.url)._ask("GET", f"/v1/curricula/{id}")["scored"] == 24
    with pytest.raises(ValueError, match="`curriculum` and `suite`"):
        skyrl_gym.make("redqueen", env_config={"url": server.url}, extras=row)

"""skyrl-gym's own registry makes the environments, and its generator's calls play them."""
import pytest
from conftest import marked, package

skyrl_gym = package("skyrl_gym")
from redqueen.adapters import skyrl  # noqa: E402


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

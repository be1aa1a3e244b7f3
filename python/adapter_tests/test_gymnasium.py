"""Gymnasium's own checker, and episodes of one turn and of many."""
import warnings

import pytest
from support import marked, package

gymnasium = package("gymnasium")
from gymnasium.utils.env_checker import check_env  # noqa: E402

from redqueen.adapters.gymnasium import RedQueenEnv, curriculum  # noqa: E402


@pytest.mark.parametrize("name", ["Sorting", "household"])
def test_gymnasium_finds_no_fault(where, name):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        warnings.filterwarnings("ignore", message=".*not inherit|.*spec|.*render")
        check_env(RedQueenEnv(name, level=1, url=where), skip_render_check=True)


def test_one_turn(where):
    env = RedQueenEnv("Sorting", level=2, url=where, render_mode="ansi")
    text, info = env.reset(seed=5)
    assert info["address"] == "Sorting@1/2/5/s1" and env.render() == text
    _, reward, terminated, truncated, info = env.step(marked(text))
    assert (reward, terminated, truncated, info["solved"]) == (1.0, True, False, True)
    with pytest.raises(gymnasium.error.ResetNeeded):
        env.step("again")
    assert env.reset()[1]["address"] == "Sorting@1/2/6/s1"  # the next one
    assert env.reset(options={"address": "Sorting@1/0/9/s1"})[1]["address"] == "Sorting@1/0/9/s1"
    assert env.step("no idea")[1] == -1.0


def test_many_turns(where):
    env = RedQueenEnv("household", level=1, url=where)
    text, info = env.reset(seed=0)
    assert "You are in" in text and info["tools"]
    rewards = []
    for _ in range(200):
        text, reward, terminated, truncated, info = env.step("> look")
        rewards.append(reward)
        if terminated or truncated:
            break
    assert (terminated or truncated) and info["solved"] is False and set(rewards[:-1]) == {0.0}


def test_a_curriculum_rises_with_its_episodes(where):
    drawn = curriculum("Sorting", where, minimum_groups=1, rollouts=1, width=1)
    env = RedQueenEnv(url=where, curriculum=drawn)
    levels = []
    for _ in range(12):
        text, info = env.reset()
        levels.append(int(info["address"].split("/")[1]))
        assert env.step(marked(text))[4]["solved"]
    assert levels[0] == 0 and levels == sorted(levels) and levels[-1] > 5
    assert drawn.levels()["Sorting"][1] > 5
    for _ in range(3):
        env.reset()
        env.step("no idea")  # what is not solved raises nothing
    assert drawn.levels()["Sorting"][1] == max(levels) + 1


def test_a_curriculum_leaves_named_problems_alone(where):
    drawn = curriculum("Sorting", where)
    env = RedQueenEnv("Sorting", url=where, curriculum=drawn)
    assert env.reset(seed=7)[1]["address"] == "Sorting@1/0/7/s1"
    assert env.reset(options={"level": 3})[1]["address"].startswith("Sorting@1/3/")
    with pytest.raises(ValueError, match="name an environment"):
        RedQueenEnv(url=where)

"""The pool: every observation is answered once, ended episodes begin anew, and the order of threads changes no score."""
import numpy
import pytest
from support import marked

from redqueen.adapters.pool import Pool, curriculum


def test_a_synchronous_vector(where):
    pool = Pool("Sorting", num_envs=6, levels=[0, 1], seed=3, url=where)
    texts, info = pool.reset()
    assert len(texts) == 6 and sorted(info["env_id"]) == [*range(6)] and len(set(info["address"])) == 6
    wrong = [i % 2 for i in range(6)]
    _, rewards, terminated, truncated, after = pool.step(
        ["no" if bad else marked(text) for bad, text in zip(wrong, texts)], info["env_id"])
    solved = dict(zip(after["address"], after["solved"]))
    assert [bool(solved[a]) for a in info["address"]] == [not bad for bad in wrong]
    assert rewards.dtype == numpy.float64 and terminated.all() and not truncated.any()
    assert sorted(rewards) == [-1.0] * 3 + [1.0] * 3
    again, _, terminated, _, info = pool.step([""] * 6, after["env_id"])  # the next problems
    assert not terminated.any() and not set(info["address"]) & set(solved) and (info["elapsed_step"] == 0).all()
    pool.close()


def test_what_is_ready_comes_first(where):
    pool = Pool("household", num_envs=9, batch_size=3, levels=[1], threads=4, url=where)
    pool.async_reset()
    seen, ended = {}, 0
    for _ in range(60):
        texts, rewards, terminated, truncated, info = pool.recv()
        assert len(texts) == 3
        for i, step in zip(info["env_id"], info["elapsed_step"]):
            assert step == seen.get(i, -1) + 1 or step == 0  # no turn is lost or taken twice
            seen[i] = step
        ended += int((terminated | truncated).sum())
        pool.send(["> look"] * 3, info["env_id"])
    assert len(seen) == 9
    pool.close()


def test_a_fault_reaches_whoever_waits(where):
    pool = Pool("NoSuchEnvironment", num_envs=2, url=where)
    pool.async_reset()
    with pytest.raises(Exception, match="there is no .*NoSuchEnvironment"):
        pool.recv()
    pool.close()
    with pytest.raises(ValueError, match="from 1 to 2"):
        Pool("Sorting", num_envs=2, batch_size=3, url=where)


def test_a_curriculum_chooses_and_is_told(where):
    drawn = curriculum("Sorting", where, minimum_groups=1, rollouts=1, width=1)
    pool = Pool(num_envs=4, batch_size=2, url=where, curriculum=drawn)
    pool.async_reset()
    levels = []
    for _ in range(40):
        texts, _, terminated, _, info = pool.recv()
        levels += [int(a.split("/")[1]) for a, over in zip(info["address"], terminated) if over]
        # An episode that has ended takes no answer: what is sent begins the next one.
        pool.send(["" if over else marked(text) for text, over in zip(texts, terminated)], info["env_id"])
    pool.close()
    assert levels[0] == 0 and max(levels) > 5 and drawn.levels()["Sorting"][0] >= max(levels)
    with pytest.raises(ValueError, match="name an environment"):
        Pool(num_envs=2, url=where)
    with pytest.raises(ValueError, match="name an environment"):
        Pool("Sorting", num_envs=2, url=where, curriculum=drawn)

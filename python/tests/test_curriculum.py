"""Curricula and data sets."""

import json

import numpy
import pytest

import redqueen as rq


def learn(curriculum, steps, solves):
    for _ in range(steps):
        batch = curriculum.next_batch(16)
        curriculum.update(batch, [solves(problem) for problem in batch])


def test_levels_rise_with_what_is_solved_and_only_then():
    settings = {"minimum_groups": 1, "rollouts": 1}
    strong = rq.Curriculum("Sorting", **settings)
    weak = rq.Curriculum("Sorting", **settings)
    learn(strong, 12, lambda problem: rq.Verdict(1, True))
    learn(weak, 12, lambda problem: rq.Verdict(0, False))
    assert strong.levels()["Sorting"][1] > 3
    assert weak.levels() == {"Sorting": (0, 0)}


def test_equal_seeds_make_equal_batches():
    one, same, other = (rq.Curriculum("held-out", seed=seed) for seed in (3, 3, 4))
    addresses = [[problem.address for problem in each.next_batch(20)] for each in (one, same, other)]
    assert addresses[0] == addresses[1] != addresses[2]
    assert len(set(addresses[0])) == 20 and all(address.endswith("/s1") for address in addresses[0])


def test_a_state_goes_on_where_it_was_taken():
    settings = {"minimum_groups": 1, "rollouts": 1}
    whole = rq.Curriculum(["Sorting", "Knapsack"], seed=2, **settings)
    learn(whole, 5, lambda problem: problem.environment == "Sorting")
    state = json.loads(json.dumps(whole.state()))
    again = rq.Curriculum(["Sorting", "Knapsack"], seed=2, **settings)
    again.load(state)
    assert again.levels() == whole.levels() and again.drawn == whole.drawn
    assert [p.address for p in again.next_batch(9)] == [p.address for p in whole.next_batch(9)]
    with pytest.raises(rq.UsageError, match="settings"):
        rq.Curriculum(["Sorting", "Knapsack"], seed=3, **settings).load(state)
    for broken in ({}, [], {"settings": state["settings"], "drawn": -1, "curriculum": {}}, {**state, "curriculum": {}}):
        with pytest.raises(rq.Error):
            again.load(broken)


def test_only_what_the_curriculum_draws_from_counts():
    curriculum = rq.Curriculum("Sorting")
    batch = curriculum.next_batch(2)
    others = [
        rq.make("Sorting").generate(split="test"),
        rq.make("Knapsack").generate(),
        rq.restore(environment="Sorting", parameter=batch[0].parameter),
    ]
    assert curriculum.update(others, [True] * 3) == 0
    assert curriculum.update(batch + others, rq.score_many(batch + others, ["x"] * 5)) == 2


def test_what_was_solved_is_told_and_no_reward_passes_for_it():
    settings = {"minimum_groups": 1, "rollouts": 1}
    curriculum = rq.Curriculum("Sorting", **settings)
    for _ in range(4):
        batch = curriculum.next_batch(8)
        verdicts = rq.score_many(batch, ["no"] * 8)
        for wrong in (verdicts.rewards, [-1.0] * 8, ["no"] * 8, [0] * 8, [1] * 8, [None] * 8, [verdicts] * 8):
            with pytest.raises(rq.UsageError, match="verdicts or truth values, and item 0 is"):
                curriculum.update(batch, wrong)
        assert curriculum.update(batch, verdicts.solved) == 8
    assert curriculum.levels() == {"Sorting": (0, 0)}
    for truths in ([True] * 16, numpy.ones(16, bool), [numpy.True_] * 16, [rq.Verdict(1, True)] * 16):
        before = curriculum.levels()["Sorting"][1]
        for _ in range(3):
            curriculum.update(curriculum.next_batch(16), truths)
        assert curriculum.levels()["Sorting"][1] > before


@pytest.mark.parametrize("method", ["rlve", "adaptive", "static", "learnability", "replay", "bandit"])
def test_every_method_draws(method):
    curriculum = rq.Curriculum("Sorting,Knapsack", method=method, high=5)
    learn(curriculum, 3, lambda problem: problem.level < 2)
    assert set(curriculum.levels()) == {"Sorting", "Knapsack"}


@pytest.mark.parametrize(
    "settings", [{"method": "best"}, {"width": 0}, {"salt": 0}, {"exploration": 2}, {"speed": 3}, {"low": 5, "high": 1}]
)
def test_wrong_settings(settings):
    with pytest.raises(rq.UsageError):
        rq.Curriculum("Sorting", **settings)


def test_wrong_calls():
    curriculum = rq.Curriculum("Sorting")
    with pytest.raises(rq.UsageError):
        curriculum.next_batch(0)
    with pytest.raises(rq.UsageError, match="1 problems and 0 verdicts"):
        curriculum.update(curriculum.next_batch(1), [])


def test_data_sets_have_a_row_for_every_address():
    rows = rq.dataset("held-out", levels=[0, 1], size=130, split="test", as_list=True, reference=True)
    assert len(rows) == 130 and len({row["address"] for row in rows}) == 130
    assert {row["split"] for row in rows} == {"test"}
    longer = rq.dataset("held-out", levels=[0, 1], size=140, split="test", as_list=True, reference=True)
    assert longer[:130] == rows
    texts = [f"<answer>{row['reference']}</answer>" for row in rows]
    assert rq.score_many([row["address"] for row in rows], texts).solved.all()
    assert rq.dataset("Sorting", size=0, as_list=True) == []


def test_the_data_set_of_the_package_datasets():
    pytest.importorskip("datasets")
    data = rq.dataset("Sorting", levels=[0, 3], size=6, chat=True)
    assert data.num_rows == 6
    assert set(data.column_names) == {"prompt", "environment", "level", "seed", "split", "address"}
    assert data[0]["prompt"][0]["role"] == "user"

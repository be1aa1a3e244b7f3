"""Curricula and data sets."""

import asyncio
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


def test_addresses_stand_for_problems():
    settings = {"minimum_groups": 1, "rollouts": 1, "seed": 5}
    told, by_address = (rq.Curriculum("Sorting,Knapsack", **settings) for _ in range(2))
    for _ in range(8):
        batch = told.next_batch(8)
        truths = [problem.environment == "Sorting" for problem in batch]
        assert told.update(batch, truths) == 8
        addresses = [problem.address for problem in by_address.next_batch(8)]
        assert by_address.update(iter([batch[0], *addresses[1:]]), truths) == 8
    assert told.levels() == by_address.levels() and told.levels()["Sorting"][1] > 1
    assert told.state() == by_address.state()
    foreign = ["Sorting@1/0/0", "Sorting@9/0/0/s1", "CRT@1/0/0/s1", "Nothing@1/0/0/s1"]  # as a server has it
    assert told.update(foreign, [True] * 4) == 0
    state = by_address.state()
    with pytest.raises(rq.UsageError, match="not a problem's address"):
        by_address.update([addresses[0], "no address"], [True] * 2)
    assert by_address.state() == state  # all or nothing


def test_functions_for_asyncio_do_the_same():
    plain, awaited = rq.Curriculum("Sorting", seed=3), rq.Curriculum("Sorting", seed=3)

    async def main():
        batch = await rq.aio.next_batch(awaited, 5)
        counted = await rq.aio.update(awaited, batch, [True] * 5, end_step=False)
        return batch, counted, await rq.aio.dataset("Sorting", levels=[0, 1], size=5, split="test", seed=3, as_list=True)

    batch, counted, rows = asyncio.run(main())
    assert [p.address for p in batch] == [p.address for p in plain.next_batch(5)] and counted == 5
    plain.update(batch, [True] * 5, end_step=False)
    assert plain.state() == awaited.state()
    assert rows == rq.dataset("Sorting", levels=[0, 1], size=5, split="test", seed=3, as_list=True)


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
    with pytest.raises(rq.UsageError, match="at least one problem, and not 0"):
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

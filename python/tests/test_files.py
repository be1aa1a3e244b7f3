"""Environments that lie in files: their problems' addresses are as good as those of the package."""

import os
import pathlib
import shutil

import pytest

import redqueen as rq
from redqueen.adapters import trl

ROOT = pathlib.Path(__file__).resolve().parents[2]
SEEDS = ROOT / "configs/evoenv/seeds"


def write_sums(file, count=5, more=0):
    file.parent.mkdir(exist_ok=True)
    file.write_text("".join(f'{{"prompt": "{i} + {i + more}?", "answer": {2 * i + more}}}\n' for i in range(count)))
    return file


@pytest.fixture
def sums(tmp_path):
    yield write_sums(tmp_path / "sums.jsonl")
    rq.forget("sums")


@pytest.fixture
def fibonacci():
    yield SEEDS / "fibonacci.py"
    rq.forget(rq.make(SEEDS / "fibonacci.py").name)


@pytest.fixture(params=["sums", "fibonacci"])
def file(request):
    return request.getfixturevalue(request.param)


def rows_and_texts(file):
    rows = rq.dataset(file, size=4, reference=True, as_list=True)
    return rows, [f"<answer>{row['reference']}</answer>" for row in rows]


def test_a_data_set_is_scored_by_address(file):
    rows, texts = rows_and_texts(file)
    addresses = [row["address"] for row in rows]
    assert rq.score_many(addresses, texts).solved.all()
    assert not rq.score_many(addresses, ["<answer>x</answer>"] * 4).solved.any()
    assert [rq.restore(address).prompt for address in addresses] == [row["prompt"] for row in rows]
    episode = rq.restore(addresses[0]).start()
    episode.step(texts[0])
    assert rq.resume(episode.record()).verdict().solved


def test_a_trainers_reward_function_scores_it(file):
    rows, texts = rows_and_texts(file)
    texts[1] = "no idea"
    curriculum = trl.curriculum([str(file)], minimum_groups=1, rollouts=1)
    reward = trl.reward(curriculum=curriculum)
    assert reward(completions=texts, address=[row["address"] for row in rows]) == [1, -1, 1, 1]
    drawn = curriculum.next_batch(3)
    answers = [f"<answer>{problem.reference}</answer>" for problem in drawn]
    assert reward(completions=answers, address=[problem.address for problem in drawn]) == [1, 1, 1]


def test_a_curriculum_knows_its_problems_by_address_and_from_another_load(file):
    curriculum = rq.Curriculum([file, "Sorting"])
    rows, _ = rows_and_texts(file)  # the file is read once more
    assert curriculum.update([row["address"] for row in rows], [True] * 4) == 4
    assert curriculum.update(rq.generate_many(file, seeds=range(3)), [True] * 3) == 3


def test_two_files_of_one_name_are_told_apart(sums, tmp_path):
    first = rq.dataset(sums, size=3, as_list=True)
    other = write_sums(tmp_path / "more" / "sums.jsonl", more=1)
    for read in (rq.make, rq.load_suite, rq.Curriculum, rq.dataset):
        with pytest.raises(rq.UsageError) as refused:
            read(other)
        for words in (str(other), str(sums), '"sums"', 'redqueen.forget("sums")'):
            assert words in str(refused.value)
    assert rq.restore(first[1]["address"]).prompt == first[1]["prompt"]
    assert rq.forget("sums") and not rq.forget("sums")
    with pytest.raises(rq.UsageError, match="once make, load_suite or dataset has read the file"):
        rq.restore(first[1]["address"])
    assert rq.make(other).generate(seed=1).statement == "1 + 2?"
    assert rq.restore(first[1]["address"]).statement == "1 + 2?"


def test_the_same_file_by_another_path_or_changed_is_no_other_file(sums, monkeypatch):
    address = rq.make(sums).generate(seed=1).address
    monkeypatch.chdir(sums.parent)
    assert rq.make("sums.jsonl").generate(seed=1).address == address
    pathlib.Path("suite.toml").write_text('parts = ["sums.jsonl"]\n')
    assert rq.load_suite("suite.toml").environments[0].name == "sums"
    write_sums(sums, more=2)
    assert rq.make(sums).generate(seed=1).statement == rq.restore(address).statement == "1 + 3?"


def test_the_same_source_elsewhere_is_no_other_environment(fibonacci, tmp_path):
    address = rq.make(fibonacci).generate(seed=1).address
    copy = shutil.copy(fibonacci, tmp_path / "copy.py")
    assert rq.make(copy).generate(seed=1).address == address


def test_names_of_the_package_and_of_own_environments_are_taken(sums, tmp_path, own_names):
    with pytest.raises(rq.UsageError, match='"Sorting", as one of the package is'):
        rq.make(write_sums(tmp_path / "Sorting.jsonl"))

    def define():
        rq.environment(lambda level, rng: ("?", 1), name="sums")

    define()
    with pytest.raises(rq.UsageError, match='"sums", as one that was registered is'):
        rq.make(sums)
    assert rq.forget("sums")
    rq.make(sums)
    with pytest.raises(rq.UsageError, match="already, of .*sums.jsonl"):
        define()


def test_a_forked_process_reads_its_files_anew(file):
    rows, texts = rows_and_texts(file)
    rq.restore(rows[0]["address"]).score(texts[0])  # the parent's sandbox has started
    child = os.fork()
    if child == 0:
        code = 1
        try:
            code = 0 if rq.score_many([row["address"] for row in rows], texts).solved.all() else 2
        finally:
            os._exit(code)
    assert os.waitpid(child, 0)[1] == 0
    assert rq.score_many([row["address"] for row in rows], texts).solved.all()

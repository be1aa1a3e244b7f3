"""Where adapters ask, and what they make of addresses."""
import pytest

import redqueen
from redqueen.adapters import reasoning_gym
from redqueen.adapters._source import LocalCurriculum, curriculum, drawn, only_environment, served, source, split_of, teller, urls_of


@pytest.mark.parametrize("salt", [0, 1, 9, 10, 16, 0xabcdef])  # addresses have it in hexadecimal
@pytest.mark.parametrize("name", ["Sorting", "arena/cartpole"])
def test_every_address_tells_its_split(name, salt):
    address = redqueen.make(name).generate(level=0, seed=3, split=salt or "test").address
    assert split_of(address) == ("train" if salt else "test")


@pytest.mark.parametrize("address", ["", "Sorting", "Sorting@1/2", "Sorting@1/2/3/s", "Sorting@1/2/3/sx"])
def test_what_is_no_address_has_no_split(address):
    with pytest.raises(ValueError, match="NAME@VERSION/LEVEL/SEED"):
        split_of(address)


@pytest.mark.parametrize("settings", [{"prompt": "boxed"}, {"tolerant": True}])
def test_a_curriculum_asks_as_rewards_read(settings, where):
    """Rewards know a problem by its address, which says nothing of the prompt: every answer to another one would be malformed."""
    with pytest.raises(redqueen.UsageError, match=next(iter(settings))):
        curriculum("Sorting", where, **settings)


def test_a_curriculum_learns_from_its_own_salt_and_from_names_with_a_slash():
    curriculum = LocalCurriculum("Sorting,arena/cartpole", "rlve", 0, {"salt": 12, "minimum_groups": 1, "rollouts": 1})
    addresses = [problem.address for problem in curriculum.next_batch(8)]
    assert {address.split("@")[0] for address in addresses} == {"Sorting", "arena/cartpole"}
    curriculum.update(addresses, [True] * len(addresses))
    assert all(high > 0 for _, high in curriculum.levels().values())


def test_a_curriculum_takes_no_reward_for_a_truth():
    curriculum = LocalCurriculum("Sorting", "rlve", 0, {"minimum_groups": 1, "rollouts": 1})
    addresses = [problem.address for problem in curriculum.next_batch(8)]
    verdicts = redqueen.score_many(addresses, ["no"] * 8)
    for wrong in (verdicts.rewards, [-1.0] * 8, ["no"] * 8):
        with pytest.raises(redqueen.UsageError, match="verdicts or truth values"):
            curriculum.update(addresses, wrong)
    curriculum.update(addresses, verdicts.solved)
    assert curriculum.levels() == {"Sorting": (0, 0)}


@pytest.mark.parametrize("given", ["http://a, http://b", ["http://a", " http://b"], ("http://a", "http://b"), iter(["http://a", "http://b"])])
def test_urls_are_the_same_however_settings_have_them(given, monkeypatch):
    assert urls_of(given) == ("http://a", "http://b")
    monkeypatch.setenv("REDQUEEN_URL", "http://c")
    assert urls_of() == ("http://c",) and urls_of("") == urls_of([]) == ()


def test_a_teller_is_one_however_the_urls_are_given(server, client, monkeypatch):
    client.Curriculum("Sorting", id="told")
    one = teller([server.url], "told")
    assert teller(server.url, "told") is teller((server.url,), "told") is one
    monkeypatch.setenv("REDQUEEN_URL", server.url)
    assert teller(None, "told") is one
    assert isinstance(served(""), type(served([server.url])))


def test_a_curriculum_that_draws_nothing_says_so():
    asked = []

    class Empty:
        id = "mine"

        def draw(self, name, sequence, count):
            asked.append((name, sequence, count))
            return []

    with pytest.raises(ValueError, match="curriculum mine gave no problem in 8 draws"):
        drawn(Empty(), "verl", 3)
    assert asked == [(f"verl/{attempt}", 3, 1) for attempt in range(8)]


def test_one_environment_is_not_the_first_of_a_suite(where):
    asked = source(where)
    assert only_environment(asked, "Sorting", 3) == "Sorting"
    for suite in ("c4", "Sorting,Division"):
        with pytest.raises(ValueError, match="several environments"):
            only_environment(asked, suite)
    with pytest.raises(ValueError, match="several environments"):
        reasoning_gym.create_dataset("c4", url=where)

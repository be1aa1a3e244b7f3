"""What the client does by itself, without a server: one that answers as it is told stands in."""

import inspect

import pytest

import redqueen as rq
from redqueen.connect import Client, ServerError, SharedCurriculum


class Owner:
    """Stands in for a client: of every draw the first `made` problems can be made, and every verdict counts."""

    owner = "http://owner"

    def __init__(self, made):
        self.made, self.told, self.drawn = made, [], []

    def _ask(self, method, path, body=None, **_):
        if path.endswith("/problems"):
            self.drawn.append(body["count"])
            good = {"environment": "Sorting", "address": "Sorting@1/0/0/s1", "prompt": "?"}
            return {"problems": [good if i < self.made else {"error": "no luck"} for i in range(body["count"])]}
        if path.endswith("/outcomes"):
            self.told.append(body)
            return {"counted": len(body["items"])}
        return {}


def test_a_batch_that_cannot_be_filled_is_given_up():
    owner = Owner(0)
    with pytest.raises(ServerError, match="no luck"):
        SharedCurriculum(owner, "Sorting").next_batch(4)
    assert owner.drawn == [4] * 20


def test_a_batch_that_comes_in_pieces_is_filled():
    owner = Owner(3)
    assert len(SharedCurriculum(owner, "Sorting").next_batch(8)) == 8 and owner.drawn == [8, 5, 2]
    whole = Owner(10**9)
    assert len(SharedCurriculum(whole, "Sorting").next_batch(100_000)) == 100_000 and len(whole.drawn) == 25


@pytest.mark.parametrize("count", [0, -1, True, "4", 2.0, None])
def test_sizes_of_a_batch_are_refused_as_in_the_package(count):
    owner = Owner(9)
    messages = []
    for curriculum in (SharedCurriculum(owner, "Sorting"), rq.Curriculum("Sorting")):
        with pytest.raises(rq.UsageError) as refused:
            curriculum.next_batch(count)
        messages.append(str(refused.value))
    assert messages[0] == messages[1] and repr(count) in messages[0] and not owner.drawn


def test_updates_take_problems_and_addresses_as_in_the_package():
    owner = Owner(9)
    shared = SharedCurriculum(owner, "Sorting")
    problem = rq.make("Sorting").generate(seed=2)
    restored = rq.restore(environment="Sorting", parameter=problem.parameter)  # counts for nothing
    for curriculum in (shared, rq.Curriculum("Sorting")):
        assert curriculum.update([problem, "Sorting@1/0/1/s1", restored], [True, False, True]) == 2
    assert [item["address"] for item in owner.told[0]["items"]] == ["Sorting@1/0/2/s1", "Sorting@1/0/1/s1"]
    for items, verdicts, kind in ((5, [], rq.UsageError), ("Sorting@1/0/1/s1", [True], rq.UsageError), ([5], [True], TypeError),
                                  ([problem], [], rq.UsageError), ([problem], [-1.0], rq.UsageError)):
        said = []
        for curriculum in (shared, rq.Curriculum("Sorting")):
            with pytest.raises(kind) as refused:
                curriculum.update(items, verdicts)
            said.append(str(refused.value))
        assert said[0] == said[1]
    assert len(owner.told) == 1


def test_a_step_without_verdicts_ends_as_in_the_package():
    owner = Owner(9)
    assert SharedCurriculum(owner, "Sorting").update([], []) == 0 and owner.told[0]["end_step"] is True


def test_a_client_has_the_name_that_a_star_does_not_import():
    assert [*inspect.signature(rq.list).parameters] == [] and [*inspect.signature(Client.list).parameters] == ["self"]


def test_wrong_items_are_said_before_a_server_is_asked():
    client = Client("http://127.0.0.1:9", patience=0.1)
    for call, kind in ((lambda: client.restore_many("Sorting@1/0/0"), rq.UsageError), (lambda: client.restore(5), TypeError),
                       (lambda: client.score_many([5], ["x"]), TypeError), (lambda: client.score_many(5, ["x"]), rq.UsageError),
                       (lambda: client.dataset("Sorting", size="4"), rq.UsageError),
                       (lambda: client.generate_many("Sorting", levels=2**40), rq.UsageError)):
        with pytest.raises(kind):
            call()

"""reasoning-gym's calls; with the package, its registry and a composite of its own data sets."""
import pytest
from conftest import package, sorted_answer

from redqueen.adapters import reasoning_gym as adapter


def test_entries_and_scores(where):
    data = adapter.create_dataset("Sorting", level=2, size=5, seed=3, url=where)
    entries = [*data]
    assert len(data) == len(entries) == 5 and entries[1] == data[1]
    for entry in entries:
        assert set(entry) == {"question", "answer", "metadata"}
        answer = sorted_answer(entry["question"])
        assert entry["answer"] in ("", answer)
        assert data.score_answer(answer, entry) == 1.0
        assert data.score_answer("1 2", entry) < 0
        assert data.score_answer(None, entry) == data.score_answer("", entry) == 0.0
    assert entries[0]["metadata"]["address"] == "Sorting@1/2/3/s1"
    with pytest.raises(IndexError):
        data[5]


def test_in_reasoning_gyms_registry(where):
    package("reasoning_gym")
    import reasoning_gym
    from reasoning_gym.composite import DatasetSpec

    adapter.register()
    adapter.register()
    data = reasoning_gym.create_dataset("redqueen", environment="Sorting", level=1, size=3, url=where)
    assert data.score_answer(sorted_answer(data[2]["question"]), data[2]) == 1.0
    mixed = reasoning_gym.create_dataset("composite", size=8, seed=1, datasets=[
        DatasetSpec(name="redqueen", weight=1, config={"environment": "Sorting", "url": where}),
        DatasetSpec(name="leg_counting", weight=1, config={})])
    ours = [entry for entry in mixed if entry["metadata"]["source_dataset"] == "redqueen"]
    assert ours and all(mixed.score_answer(sorted_answer(entry["question"]), entry) == 1.0 for entry in ours)
    with pytest.raises(ValueError):
        reasoning_gym.create_dataset("redqueen", size=0)

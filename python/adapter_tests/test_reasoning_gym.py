"""reasoning-gym's calls; with the package, its registry and a composite of its own data sets."""
import pytest
from support import package, sorted_answer

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


def test_a_curriculum_draws_entries_and_is_told(where):
    drawn = adapter.curriculum("Sorting", where, minimum_groups=1, rollouts=1, width=1)
    data = adapter.create_dataset(curriculum=drawn, size=10, url=where)
    levels = []
    for i in range(10):
        assert data[i] == data[i]  # an entry is drawn once
        levels.append(data[i]["metadata"]["difficulty"]["level"])
        assert data.score_answer(sorted_answer(data[i]["question"]), data[i]) == 1.0
    assert levels[0] == 0 and levels == sorted(levels) and levels[-1] > 5
    with pytest.raises(ValueError, match="name an environment"):
        adapter.create_dataset(url=where)


def test_reasoning_gyms_own_curriculum_climbs(where):
    package("reasoning_gym")
    import reasoning_gym
    from reasoning_gym.coaching.curriculum_config import CurriculumAttributeConfig, CurriculumExperimentConfig
    from reasoning_gym.coaching.experiment import CurriculumExperiment
    from reasoning_gym.factory import create_curriculum

    name = f"redqueen_division_{'server' if where else 'engine'}"
    adapter.register(name, environment="Division", url=where)
    levels = create_curriculum(name)
    assert levels.generate_configuration().level == 0 and levels.increment_attr_level("level")
    harder = levels.generate_configuration({"size": 3})
    assert (harder.level, harder.environment, harder.size) == (1, "Division", 3)
    assert reasoning_gym.create_dataset(name, **vars(harder))[0]["metadata"]["address"].startswith("Division@1/1/")
    wanted = CurriculumExperimentConfig(curricula={name: CurriculumAttributeConfig(attribute_levels={"level": 4})})
    experiment = CurriculumExperiment("rising", wanted, size=2, seed=1)
    entry = experiment.get_dataset_entry(0)
    assert "Division@1/4/" in str(entry["metadata"])


def test_worlds_are_no_single_answer(where):
    with pytest.raises(ValueError, match="household is a world of several turns.*gymnasium"):
        adapter.create_dataset("household", url=where)

"""slime is no package of PyPI: these are the calls that its sources make (slime/rollout/sglang_rollout.py, rm_hub/__init__.py,
ray/rollout.py at 624b824), on samples with the fields of its `Sample`."""
import asyncio
import sys
import time
import types
from dataclasses import dataclass, field

import pytest
from conftest import marked

from redqueen.adapters import slime


@dataclass
class Sample:  # slime/utils/types.py, the fields that a data source and a reward use
    group_index: int | None = None
    index: int | None = None
    prompt: str | list = ""
    response: str = ""
    label: str | None = None
    reward: float | None = None
    metadata: dict = field(default_factory=dict)


@pytest.fixture(autouse=True)
def package_of_slime(monkeypatch):
    for name in ("slime", "slime.utils", "slime.utils.types", "slime.utils.processing_utils"):
        monkeypatch.setitem(sys.modules, name, types.ModuleType(name))
    sys.modules["slime.utils.types"].Sample = Sample

    class Tokenizer:
        def apply_chat_template(self, messages, tokenize, add_generation_prompt):
            return f"<user>{messages[0]['content']}<assistant>"
    sys.modules["slime.utils.processing_utils"].load_tokenizer = lambda path, trust_remote_code: Tokenizer()


def arguments(server, **more):
    settings = {"minimum_groups": 1, "width": 1}
    return types.SimpleNamespace(n_samples_per_prompt=2, save=None, load=None, redqueen_suite="Sorting", redqueen_url=server.url,
                                 redqueen_id=f"slime-{time.time_ns()}", redqueen_settings=settings, **more)


def test_one_sample_and_a_batch(where):
    args = types.SimpleNamespace(redqueen_url=where)
    rows = slime.rows("Sorting", [0], 3, url=where)
    samples = [Sample(label=row["label"], response=marked(row["prompt"][0]["content"])) for row in rows] + [
        Sample(label=rows[0]["label"], response="no")]
    assert asyncio.run(slime.reward(args, samples[0])) == 1.0
    assert asyncio.run(slime.reward(args, samples)) == [1.0, 1.0, 1.0, -1.0]


def test_the_source_rises_with_its_rewards(server):
    args = arguments(server)
    source = slime.CurriculumSource(args)
    levels, seen = [], []
    for _ in range(6):
        groups = source.get_samples(4)
        assert [len(group) for group in groups] == [2] * 4
        samples = [sample for group in groups for sample in group]
        seen += [(s.group_index, s.index) for s in samples]
        for sample in samples:
            sample.response = marked(sample.prompt)
        assert asyncio.run(slime.reward(args, samples)) == [1.0] * 8
        slime.teller(args.redqueen_url, args.redqueen_id).flush()
        levels.append(max(s.metadata["level"] for s in samples))
    assert levels == sorted(levels) and levels[-1] > levels[0]
    assert seen == [(i // 2, i) for i in range(48)]
    assert len(source) // 256 > 10**6


def test_aborted_groups_come_again_first(server):
    source = slime.CurriculumSource(arguments(server))
    first = source.get_samples(3)
    source.add_samples(first[1:])
    again = source.get_samples(3)
    assert again[:2] == first[1:] and again[2][0].label not in {group[0].label for group in first}


def test_a_saved_source_goes_on(server, tmp_path):
    args = arguments(server)
    args.save = args.load = str(tmp_path)
    source = slime.CurriculumSource(args)
    first = source.get_samples(2)
    source.save(7)
    other = slime.CurriculumSource(args)
    other.load(6)  # there is none
    other.load(7)
    more = other.get_samples(2)
    assert [group[0].group_index for group in more] == [2, 3]
    assert not {g[0].label for g in first} & {g[0].label for g in more}


def test_prompts_are_ready_for_the_model_where_slime_wants_that(server):
    args = arguments(server, apply_chat_template=True, hf_checkpoint="model", apply_chat_template_kwargs={})
    prompt = slime.CurriculumSource(args).get_samples(1)[0][0].prompt
    assert prompt.startswith("<user>Sort") and prompt.endswith("<assistant>")

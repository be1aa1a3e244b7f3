"""slime is no package of PyPI: these are the calls that its sources make (slime/rollout/sglang_rollout.py, rm_hub/__init__.py,
ray/rollout.py at 624b824), on samples with the fields and rules of its `Sample`."""
import asyncio
import enum
import inspect
import sys
import time
import types
from dataclasses import dataclass, field

import pytest
from support import ROOT, marked, package, turns_of

from redqueen.adapters import slime


@dataclass
class Sample:  # slime/utils/types.py, the fields that a data source, a reward and a generation use
    class Status(enum.Enum):
        PENDING = "pending"
        COMPLETED = "completed"
        TRUNCATED = "truncated"
        ABORTED = "aborted"

    group_index: int | None = None
    index: int | None = None
    prompt: str | list = ""
    response: str = ""
    label: str | None = None
    reward: float | None = None
    metadata: dict = field(default_factory=dict)
    tokens: list = field(default_factory=list)
    response_length: int = 0
    loss_mask: list | None = None
    rollout_log_probs: list | None = None
    status: Status = Status.PENDING

    def append_response_tokens(self, args=None, *, tokens=None, log_probs=None, trainable=True, meta_info=None, text=None):
        if tokens and trainable and (log_probs is None or len(log_probs) != len(tokens)):
            raise ValueError("trainable response tokens require rollout log probabilities.")
        if tokens and not trainable and log_probs is not None:
            raise ValueError("non-trainable response tokens should not pass rollout log probabilities.")
        self.response += text or ""
        self.tokens += tokens
        self.response_length += len(tokens)
        self.loss_mask = (self.loss_mask or []) + [int(trainable)] * len(tokens)
        self.rollout_log_probs = (self.rollout_log_probs or []) + (log_probs or [0.0] * len(tokens))
        if meta_info is not None:
            self.status = {"stop": self.Status.COMPLETED, "length": self.Status.TRUNCATED,
                           "abort": self.Status.ABORTED}[meta_info["finish_reason"]["type"]]


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


def test_a_list_of_urls_and_environments_is_told_too(server):
    """As YAML may have both."""
    args = arguments(server)
    args.redqueen_url, args.redqueen_suite = [server.url, server.url], ["Sorting", "Division"]
    sample = slime.CurriculumSource(args).get_samples(1)[0][0]
    sample.response = "no"
    assert asyncio.run(slime.reward(args, sample)) == -1.0
    told = slime.teller(args.redqueen_url, args.redqueen_id)
    told.flush()
    assert told._curriculum._ask("GET", f"/{args.redqueen_id}")["scored"] == 1


def test_a_missing_suite_is_named(server):
    args = arguments(server)
    del args.redqueen_suite
    with pytest.raises(ValueError, match="redqueen_suite in the file of --custom-config-path"):
        slime.CurriculumSource(args)


def test_the_source_has_the_methods_that_slime_calls():
    """The abstract methods of slime/rollout/data_source.py, as ray/rollout.py calls them."""
    for name, arguments in {"get_samples": (4,), "add_samples": ([[]],), "save": (3,), "load": (None,), "__len__": ()}.items():
        inspect.signature(getattr(slime.CurriculumSource, name)).bind(None, *arguments)
    inspect.signature(slime.CurriculumSource).bind(types.SimpleNamespace())
    for function in (slime.reward, slime.generate):
        assert inspect.iscoroutinefunction(function)
    inspect.signature(slime.reward).bind(None, None)
    inspect.signature(slime.generate).bind(None, None, {}, evaluation=True)


def test_worlds_are_no_single_answer(where):
    args = types.SimpleNamespace(redqueen_url=where)
    with pytest.raises(ValueError, match="household is a world of several turns.*--custom-generate-function-path"):
        asyncio.run(slime.reward(args, Sample(label="household@1/0/3/s1", response="> look")))


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


def play(monkeypatch, url, problem, turns, max_new_tokens=8192, **more):
    """slime's `generate_and_rm` on one sample, with an engine that says `turns` of text one after another."""
    package("transformers")
    sys.path.insert(0, str(ROOT / "examples"))
    from tiny_model import tiny_model

    _, tokenizer = tiny_model()
    asked = []

    async def post(address, payload, headers=None):
        asked.append({**payload, "input_ids": list(payload["input_ids"])})
        ids = tokenizer(turns[len(asked) - 1] if len(asked) <= len(turns) else "I wait.", add_special_tokens=False)["input_ids"] + [1]
        most = payload["sampling_params"]["max_new_tokens"]
        cut, ids = len(ids) > most, ids[:most]
        kind = more.get("finish") or ("length" if cut else "stop")
        assert address == "http://router:30000/generate" and payload["return_logprob"] is True
        return {"text": tokenizer.decode(ids), "meta_info": {"finish_reason": {"type": kind},
                                                             "output_token_logprobs": [[-0.5, token, None] for token in ids]}}

    for name in ("slime.rollout", "slime.rollout.sglang_rollout", "slime.utils.http_utils"):
        monkeypatch.setitem(sys.modules, name, types.ModuleType(name))
    sys.modules["slime.rollout.sglang_rollout"].GenerateState = lambda args: types.SimpleNamespace(tokenizer=tokenizer)
    sys.modules["slime.utils.http_utils"].post = post
    args = types.SimpleNamespace(sglang_router_ip="router", sglang_router_port=30000, partial_rollout=False, redqueen_url=url,
                                 redqueen_max_turns=more.get("max_turns"), redqueen_id=more.get("id"))
    sample = Sample(label=problem.address)
    assert "evaluation" in inspect.signature(slime.generate).parameters  # which slime looks for
    sample = asyncio.run(slime.generate(args, sample, {"temperature": 1.0, "max_new_tokens": max_new_tokens},
                                        evaluation=more.get("evaluation", False)))
    return sample, asked, tokenizer


def trained(sample, tokenizer, mask):
    response = sample.tokens[len(sample.tokens) - sample.response_length:]
    return tokenizer.decode([token for token, kept in zip(response, sample.loss_mask, strict=True) if kept == mask])


def test_an_episode_of_many_turns_is_played(monkeypatch, where, server):
    import redqueen

    problem = redqueen.make("household").generate(level=1, seed=3)
    turns = turns_of(problem)
    sample, asked, tokenizer = play(monkeypatch, where, problem, turns)
    assert sample.reward == 1.0 and sample.status is Sample.Status.COMPLETED and len(asked) == len(turns) > 1
    assert trained(sample, tokenizer, 1) == "<eos>".join(turns) + "<eos>"
    assert "You take pencil 1" in trained(sample, tokenizer, 0) and sample.rollout_log_probs.count(-0.5) == sum(sample.loss_mask)
    for before, after in zip(asked, asked[1:]):  # each turn goes on where the last ended, token by token
        assert after["input_ids"][:len(before["input_ids"])] == before["input_ids"]
    assert asked[0]["input_ids"] == sample.tokens[:len(sample.tokens) - sample.response_length]
    assert "Put a pencil on a table." in tokenizer.decode(asked[0]["input_ids"])


def test_an_episode_that_is_cut_off_counts_as_silence(monkeypatch, server):
    import redqueen

    problem = redqueen.make("household").generate(level=1, seed=3)
    turns = turns_of(problem)
    few, asked, _ = play(monkeypatch, server.url, problem, turns, max_turns=2)
    assert few.reward < 1.0 and few.status is Sample.Status.TRUNCATED and len(asked) == 2
    short, asked, _ = play(monkeypatch, server.url, problem, turns, max_new_tokens=100)
    assert short.reward < 1.0 and short.status is Sample.Status.TRUNCATED and short.response_length <= 100
    aborted, asked, _ = play(monkeypatch, server.url, problem, turns, finish="abort")
    assert aborted.reward is None and aborted.status is Sample.Status.ABORTED and len(asked) == 1


def test_episodes_move_the_curriculum_but_for_those_of_evaluation(monkeypatch, server):
    import redqueen
    from redqueen.connect import connect

    args = arguments(server)
    args.redqueen_suite = "household"
    slime.CurriculumSource(args)
    problem = redqueen.make("household").generate(level=0, seed=3)
    for evaluation in (False, True, False):
        play(monkeypatch, server.url, problem, turns_of(problem), id=args.redqueen_id, evaluation=evaluation)
    slime.teller(server.url, args.redqueen_id).flush()
    assert connect(server.url)._ask("GET", f"/v1/curricula/{args.redqueen_id}")["scored"] == 2

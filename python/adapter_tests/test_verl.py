"""veRL: where it is installed, its own reward manager, data set loading, agent loop and worker; else the calls that 0.9.1 makes."""
import asyncio
import contextlib
import importlib
import importlib.util
import os
import pathlib
import subprocess
import sys
import time
import types

import pytest
from support import ROOT, marked, package, turns_of

from redqueen.adapters import verl
from redqueen.connect import connect

HAS_VERL = importlib.util.find_spec("verl") is not None


def test_scores_as_veRL_asks_for_them(where):
    for problem in verl.rows("Sorting", [0, 1], 4, url=where):
        prompt, truth = problem["prompt"][0]["content"], problem["reward_model"]["ground_truth"]
        right = verl.compute_score(data_source=problem["data_source"], solution_str=marked(prompt), ground_truth=truth,
                                   extra_info={**problem["extra_info"], "num_turns": 2}, url=where)
        assert right == {"score": 1.0, "acc": 1.0, "well_formed": 1.0}
        wrong = verl.compute_score(problem["data_source"], "no", truth, None, url=where)
        assert wrong == {"score": -1.0, "acc": 0.0, "well_formed": 0.0}


def test_worlds_are_no_single_answer(where):
    with pytest.raises(ValueError, match="household is a world of several turns.*RedQueenAgentLoop"):
        verl.compute_score("redqueen/household", "> look", "household@1/0/3/s1", None, url=where)


def test_rows_survive_parquet(where, tmp_path):
    datasets = package("datasets")
    rows = verl.rows("Sorting,Multiplication", [0, 1], 6, url=where)
    datasets.Dataset.from_list(rows).to_parquet(tmp_path / "train.parquet")
    assert datasets.load_dataset("parquet", data_files=str(tmp_path / "train.parquet"), cache_dir=str(tmp_path))["train"].to_list() == rows


def test_a_data_set_rises_with_its_rewards(server):
    package("torch")
    id = f"verl-{time.time_ns()}"
    config = {"redqueen": {"suite": "Sorting", "url": server.url, "id": id, "minimum_groups": 1, "rollouts": 1, "width": 1}}
    data = verl.CurriculumDataset(["curriculum"], None, config)
    levels = []
    for item in range(24):
        row = data[item]
        assert data[item]["reward_model"] == row["reward_model"]  # one index is one problem
        assert set(row) >= {"raw_prompt", "data_source", "reward_model", "extra_info", "dummy_tensor", "index"}
        levels.append(row["extra_info"]["level"])
        verl.compute_score(row["data_source"], marked(row["raw_prompt"][0]["content"]), row["reward_model"]["ground_truth"],
                           row["extra_info"], url=server.url, curriculum=id)
        if item % 4 == 3:
            verl.teller(server.url, id).flush()
    assert levels == sorted(levels) and levels[-1] > levels[0]
    assert connect(server.url)._ask("GET", f"/v1/curricula/{id}")["scored"] == 24  # every score once
    assert len(verl.CurriculumDataset("x", None, config, max_samples=10)) == 10


def test_without_a_server_there_is_no_shared_curriculum(monkeypatch):
    monkeypatch.delenv("REDQUEEN_URL", raising=False)
    with pytest.raises(ValueError, match="REDQUEEN_URL"):
        verl.CurriculumDataset("x", None, {"redqueen": {"suite": "Sorting"}})


@pytest.mark.parametrize("config", [{}, {"redqueen": None}, {"redqueen": {"id": "mine"}}])
def test_a_missing_suite_is_named(config):
    with pytest.raises(ValueError, match="data.redqueen.suite"):
        verl.CurriculumDataset("x", None, config)


@pytest.mark.skipif(not HAS_VERL, reason="veRL is not installed; scripts/check_trainers installs it")
def test_veRLs_own_reward_manager_and_data_set(server, tmp_path):
    import numpy
    import torch
    from omegaconf import OmegaConf
    from tensordict import TensorDict
    from verl import DataProto
    from verl.trainer.ppo.reward import load_reward_manager
    from verl.utils.dataset.rl_dataset import get_dataset_class

    class Bytes:
        def decode(self, ids, skip_special_tokens=True):
            return bytes(int(i) for i in ids).decode()

    config = OmegaConf.create({"reward": {
        "custom_reward_function": {"path": "pkg://redqueen.adapters.verl", "name": "compute_score", "reward_kwargs": {"url": server.url}},
        "reward_manager": {"source": "register", "name": "naive"}, "num_workers": 1}})

    async def rewards(rows, responses):
        manager = load_reward_manager(config, Bytes())
        results = []
        for row, response in zip(rows, responses):
            ids = torch.tensor([[*response.encode()]])
            batch = TensorDict({"prompts": torch.zeros(1, 1, dtype=torch.long), "responses": ids,
                                "attention_mask": torch.ones(1, 1 + ids.shape[1], dtype=torch.long)}, batch_size=1)
            columns = {key: numpy.array([row[key]], dtype=object) for key in ("data_source", "reward_model", "extra_info")}
            results.append(await manager.run_single(DataProto(batch=batch, non_tensor_batch=columns)))
        return results

    rows = verl.rows("Sorting", [0], 3, url=server.url)
    got = asyncio.run(rewards(rows + rows[:1], [marked(row["prompt"][0]["content"]) for row in rows] + ["no"]))
    assert [out["reward_score"] for out in got] == [1.0, 1.0, 1.0, -1.0]
    assert [out["reward_extra_info"]["acc"] for out in got] == [1.0, 1.0, 1.0, 0.0]
    data = OmegaConf.create({"custom_cls": {"path": "pkg://redqueen.adapters.verl", "name": "CurriculumDataset"},
                             "redqueen": {"suite": "Sorting", "url": server.url, "id": "verl-package"}})
    made = get_dataset_class(data)(["curriculum"], None, data)
    assert made[0]["reward_model"]["ground_truth"].startswith("Sorting@1/")
    datasets = package("datasets")
    rows = verl.rows("Sorting", [0], 3, split="test", url=server.url)
    datasets.Dataset.from_list(rows).to_parquet(tmp_path / "validation.parquet")
    data.update({"filter_overlong_prompts": False, "cache_dir": str(tmp_path)})
    fixed = get_dataset_class(data)(str(tmp_path / "validation.parquet"), None, data)
    assert len(fixed) == 3 and fixed[2]["reward_model"] == rows[2]["reward_model"]


@pytest.mark.skipif(not HAS_VERL, reason="veRL is not installed; scripts/check_trainers installs it")
def test_veRL_composes_the_example(server, tmp_path):
    """Its own configuration takes every option of examples/verl_grpo.sh."""
    run = subprocess.run([ROOT / "examples/verl_grpo.sh", "--cfg", "job"], capture_output=True, text=True, cwd=tmp_path,
                         env={**os.environ, "URL": server.url, "MODEL": "some/model", "PYTHON": sys.executable, "SUITE": "Sorting,Multiplication",
                              "PYTHONPATH": os.pathsep.join(sys.path)})
    assert run.returncode == 0, run.stdout[-2000:] + run.stderr[-2000:]
    import yaml

    config = yaml.safe_load(run.stdout[run.stdout.index("actor_rollout_ref:"):])
    assert config["data"]["redqueen"] == {"suite": "Sorting,Multiplication", "url": server.url, "id": "verl", "rollouts": 8}
    assert config["reward"]["custom_reward_function"]["reward_kwargs"] == {"url": server.url, "curriculum": "verl"}


class Recorded:
    """What redqueen.adapters.verl_agent uses of verl/experimental/agent_loop/agent_loop.py at 0.9.1, with its signatures."""

    class AgentLoopBase:
        def __init__(self, trainer_config, server_manager, tokenizer, processor, dataset_cls, data_config, hf_model_type=None, **kwargs):
            self.config, self.rollout_config = trainer_config.config, trainer_config.config.actor_rollout_ref.rollout
            self.server_manager, self.tokenizer = server_manager, tokenizer

        def _text(self, messages, tools, ready):
            return self.tokenizer.apply_chat_template(messages, tools=tools, add_generation_prompt=ready, tokenize=False)

        async def ct_build_initial_tokens(self, messages, tools=None, images=None, videos=None, audios=None, mm_inputs_out=None):
            return self.tokenizer(self._text(messages, tools, True), add_special_tokens=False)["input_ids"]

        async def ct_merge_assistant_token(self, runtime_token_ids, assistant_token_ids, response_mask, response_logprobs=None,
                                           assistant_logprobs=None):
            logprobs = None if response_logprobs is None else response_logprobs + assistant_logprobs
            merged = types.SimpleNamespace(token_ids=runtime_token_ids + assistant_token_ids)
            return merged, response_mask + [1] * len(assistant_token_ids), logprobs

        async def ct_merge_context_msg(self, previous_messages, updated_messages, runtime_token_ids, response_mask, response_logprobs=None,
                                       tools=None):
            assert updated_messages[:len(previous_messages)] == previous_messages
            before, after = self._text(previous_messages, tools, False), self._text(updated_messages, tools, True)
            ids = self.tokenizer(after[len(before):], add_special_tokens=False)["input_ids"]
            logprobs = None if response_logprobs is None else response_logprobs + [0.0] * len(ids)
            return types.SimpleNamespace(token_ids=runtime_token_ids + ids), response_mask + [0] * len(ids), logprobs

    class AgentLoopOutput(types.SimpleNamespace):
        def __init__(self, *, prompt_ids, response_ids, response_mask, metrics, response_logprobs=None, reward_score=None, num_turns=0,
                     extra_fields=None):
            super().__init__(**{name: value for name, value in locals().items() if name not in ("self", "__class__")})


@pytest.fixture
def agent_loop(monkeypatch):
    """The class on veRL's own base, or where veRL is not installed on what is recorded here of it."""
    if HAS_VERL:
        from verl.experimental.agent_loop.agent_loop import AgentLoopBase

        from redqueen.adapters.verl_agent import RedQueenAgentLoop

        assert issubclass(RedQueenAgentLoop, AgentLoopBase)
        yield RedQueenAgentLoop
        return
    modules = {name: types.ModuleType(name) for name in (
        "verl", "verl.experimental", "verl.experimental.agent_loop", "verl.experimental.agent_loop.agent_loop", "verl.utils",
        "verl.utils.profiler")}
    for name, module in modules.items():
        monkeypatch.setitem(sys.modules, name, module)
    modules["verl.experimental.agent_loop.agent_loop"].AgentLoopBase = Recorded.AgentLoopBase
    modules["verl.experimental.agent_loop.agent_loop"].AgentLoopOutput = Recorded.AgentLoopOutput
    modules["verl.utils.profiler"].simple_timer = lambda name, timings: contextlib.nullcontext()
    monkeypatch.delitem(sys.modules, "redqueen.adapters.verl_agent", raising=False)
    made = importlib.import_module("redqueen.adapters.verl_agent").RedQueenAgentLoop
    yield made
    sys.modules.pop("redqueen.adapters.verl_agent", None)


def played(agent_loop, problem, turns, response_length=8192, **settings):
    """An episode with an engine that says `turns` of text, one after another."""
    package("transformers")
    sys.path.insert(0, str(ROOT / "examples"))
    from tiny_model import tiny_model

    _, tokenizer = tiny_model()
    asked = []

    class Engine:
        async def generate(self, request_id, *, prompt_ids, sampling_params, image_data=None, video_data=None):
            asked.append(list(prompt_ids))
            text = turns[len(asked) - 1] if len(asked) <= len(turns) else "I wait."
            ids = (tokenizer(text, add_special_tokens=False)["input_ids"] + [1])[:sampling_params["max_tokens"]]
            return types.SimpleNamespace(token_ids=ids, log_probs=[-0.5] * len(ids), extra_fields={"max_global_steps": len(asked)})

    class Configuration(dict):
        __getattr__ = dict.__getitem__

    rollout = Configuration(response_length=response_length, prompt_length=4096)
    trainer = types.SimpleNamespace(config=Configuration(actor_rollout_ref=Configuration(rollout=rollout)))
    row = verl.row(problem)

    async def run():  # veRL makes one for each sample, in the loop that it runs in
        loop = agent_loop(trainer_config=trainer, server_manager=Engine(), tokenizer=tokenizer, processor=None, dataset_cls=None,
                          data_config=types.SimpleNamespace(config={}), hf_model_type=None, tools=None, **settings)
        return await loop.run({"temperature": 1.0, "logprobs": True}, raw_prompt=row["prompt"], data_source=row["data_source"],
                              reward_model=row["reward_model"], extra_info=row["extra_info"], index=0, priority=0)

    return asyncio.run(run()), asked, tokenizer


def test_an_agent_loop_plays_many_turns(agent_loop, where):
    import redqueen

    problem = redqueen.make("household").generate(level=1, seed=3)
    turns = turns_of(problem)
    output, asked, tokenizer = played(agent_loop, problem, turns, url=where)
    assert output.reward_score == 1.0 and output.num_turns == 2 * len(turns) > 2
    assert output.extra_fields["reward_extra_info"] == {"score": 1.0, "acc": 1.0, "well_formed": 1.0}
    assert output.extra_fields["max_global_steps"] == len(turns)
    assert output.prompt_ids == asked[0] and "Put a pencil on a table." in tokenizer.decode(output.prompt_ids)
    assert output.prompt_ids + output.response_ids == asked[-1] + tokenizer(turns[-1])["input_ids"] + [1]
    said = [token for token, own in zip(output.response_ids, output.response_mask, strict=True) if own]
    read = [token for token, own in zip(output.response_ids, output.response_mask, strict=True) if not own]
    assert tokenizer.decode(said) == "<eos>".join(turns) + "<eos>" and "You take pencil 1" in tokenizer.decode(read)
    assert [value != 0 for value in output.response_logprobs] == [bool(own) for own in output.response_mask]


def test_an_agent_loop_that_is_cut_off_has_left_the_rest_unsaid(agent_loop, server):
    import redqueen

    problem = redqueen.make("household").generate(level=1, seed=3)
    turns = turns_of(problem)
    few, asked, _ = played(agent_loop, problem, turns, url=server.url, max_turns=2)
    assert few.reward_score < 1.0 and len(asked) == 2
    for length in (1, 50, 100, 150, 200):
        short, _, _ = played(agent_loop, problem, turns, response_length=length, url=server.url)
        assert short.reward_score < 1.0 and len(short.response_ids) == len(short.response_mask) <= length
        assert len(short.response_logprobs) == len(short.response_mask) and short.response_mask[0] == 1


def test_an_agent_loop_moves_its_curriculum(agent_loop, server):
    import redqueen

    id = f"verl-agent-{time.time_ns()}"
    connect(server.url).Curriculum("household", id=id)
    for split in ("train", "test", "train"):
        problem = redqueen.make("household").generate(level=0, seed=3, split=split)
        played(agent_loop, problem, turns_of(problem), url=server.url, curriculum=id)
    verl.teller(server.url, id).flush()
    assert connect(server.url)._ask("GET", f"/v1/curricula/{id}")["scored"] == 2


class Engine:
    """The calls of veRL's LLMServerClient; an episode is told by its request, and says what `turns` has for its prompt's text."""

    def __init__(self, tokenizer, turns):
        self.tokenizer, self.turns, self.spoken = tokenizer, turns, {}

    async def generate(self, request_id, *, prompt_ids, sampling_params, **_):
        from verl.workers.rollout.replica import TokenOutput

        if request_id not in self.spoken:
            text = self.tokenizer.decode(prompt_ids)
            self.spoken[request_id] = iter(next(said for begin, said in self.turns.items() if begin in text))
        ids = self.tokenizer(next(self.spoken[request_id], "I wait."), add_special_tokens=False)["input_ids"] + [1]
        return TokenOutput(token_ids=ids[:sampling_params["max_tokens"]], log_probs=[-0.5] * min(len(ids), sampling_params["max_tokens"]))


@pytest.mark.skipif(not HAS_VERL, reason="veRL is not installed; scripts/check_trainers installs it")
def test_veRLs_worker_plays_by_the_pages_configuration(server, tmp_path):
    """AgentLoopWorker makes the loop of docs/trainers/verl.md's file by its name, plays a batch and pads it for the trainer."""
    import numpy
    import verl as package_of_verl
    from hydra import compose, initialize_config_dir
    from verl import DataProto
    from verl.experimental.agent_loop.agent_loop import AgentLoopWorker

    import redqueen

    sys.path.insert(0, str(ROOT / "examples"))
    from tiny_model import tiny_model

    for part in tiny_model():
        part.save_pretrained(tmp_path / "model")
    id = f"verl-worker-{time.time_ns()}"
    connect(server.url).Curriculum("household", id=id)
    page = (ROOT / "docs/trainers/verl.md").read_text(encoding="utf-8")
    yaml = page.partition("```yaml\n# redqueen_agent.yaml\n")[2].partition("```")[0]
    (tmp_path / "redqueen_agent.yaml").write_text(yaml.replace("http://HOST:9000", server.url) + f"  curriculum: {id}\n")
    with initialize_config_dir(str(pathlib.Path(package_of_verl.__file__).parent / "trainer/config"), version_base=None):
        config = compose("ppo_trainer", overrides=[
            f"actor_rollout_ref.model.path={tmp_path / 'model'}", "actor_rollout_ref.rollout.name=vllm",
            "data.max_prompt_length=4096", "data.max_response_length=4096", "actor_rollout_ref.rollout.calculate_log_probs=true",
            f"actor_rollout_ref.rollout.agent.agent_loop_config_path={tmp_path / 'redqueen_agent.yaml'}",
            "actor_rollout_ref.rollout.agent.default_agent_loop=redqueen"])
    problems = [redqueen.make("household").generate(level=0, seed=seed) for seed in (3, 4)]
    rows = [verl.row(problem, index) for index, problem in enumerate(problems)]
    engine = Engine(None, {problems[0].messages[-1]["content"]: turns_of(problems[0]), "": ["> look"]})

    async def run():
        worker = AgentLoopWorker(config, llm_client=engine)
        engine.tokenizer = worker.tokenizer
        columns = {key: numpy.array([row[key] for row in rows], dtype=object) for key in ("data_source", "reward_model", "extra_info")}
        columns["raw_prompt"] = numpy.array([row["prompt"] for row in rows] + [None], dtype=object)[:-1]
        return await worker.generate_sequences(DataProto.from_dict(tensors={}, non_tensors=columns, meta_info={"global_steps": 1}))

    batch = asyncio.run(run())
    length = config.data.max_response_length
    assert batch.batch["responses"].shape == batch.batch["response_mask"].shape == (2, length)
    rewards = batch.batch["rm_scores"].sum(1).tolist()
    assert rewards[0] == 1.0 and rewards[1] < 1.0
    mask = batch.batch["response_mask"][0].bool()
    said = batch.batch["responses"][0][mask].tolist()
    assert engine.tokenizer.decode(said) == "<eos>".join(turns_of(problems[0])) + "<eos>"
    assert [*batch.non_tensor_batch["acc"]] == [1.0, 0.0]
    verl.teller(server.url, id).flush()
    assert connect(server.url)._ask("GET", f"/v1/curricula/{id}")["scored"] == 2

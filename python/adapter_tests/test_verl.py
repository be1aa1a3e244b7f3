"""veRL: where it is installed, its own reward manager and data set loading; else the calls that 0.9.1 makes."""
import asyncio
import importlib.util
import os
import subprocess
import sys
import time

import pytest
from conftest import ROOT, marked, package

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

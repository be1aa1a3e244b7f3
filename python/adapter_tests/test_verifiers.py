"""verifiers' own `vf-eval` runs the taskset against a chat endpoint that solves every second problem."""
import importlib.metadata
import json
import os
import pathlib
import subprocess
import sys
import time

import pytest
from support import ROOT, marked, package

package("verifiers")
package("redqueen_taskset")  # examples/redqueen_taskset, as pip installs it
from oracle import Oracle  # noqa: E402

from redqueen.adapters import verifiers as adapter  # noqa: E402
from redqueen.connect import connect  # noqa: E402


def even(prompt):
    return sum(map(int, prompt.splitlines()[1].split())) % 2 == 0


def evaluate(tmp_path, limit, taskset, answer=lambda prompt: marked(prompt) if even(prompt) else "no idea", skip=0):
    return vf_eval(tmp_path, {
        "model": "oracle", "push": False, "output_dir": str(tmp_path), "run": {"dir": "run"}, "select": {"limit": limit, "skip": skip},
        "env": {"taskset": {"id": "redqueen_taskset", **taskset},
                "agent": {"harness": {"id": "null"}, "runtime": {"type": "subprocess"}}}}, answer)


def vf_eval(tmp_path, settings, answer):
    """The traces that vf-eval leaves."""
    oracle = Oracle(answer)
    tmp_path.mkdir(exist_ok=True)
    config = tmp_path / "eval.json"
    config.write_text(json.dumps({**settings, "client": {"base_url": oracle.url, "api_key_var": "ORACLE_KEY"}}))
    binaries = pathlib.Path(sys.executable).parent
    run = subprocess.run([str(binaries / "vf-eval"), "@", str(config)], capture_output=True, text=True, cwd=tmp_path, timeout=240,
                         env={**os.environ, "ORACLE_KEY": "x", "PATH": f"{binaries}:{os.environ['PATH']}"})
    oracle.shutdown()
    assert run.returncode == 0, run.stdout[-2000:] + run.stderr[-2000:]
    return [json.loads(line)["traces"][0] for file in tmp_path.rglob("traces.jsonl") for line in file.read_text().splitlines()]


def test_vf_eval_scores(tmp_path, where):
    traces = evaluate(tmp_path, 6, {"suite": "Sorting", "levels": [0, 1], "seed": 3, "split": "test", "task": {"url": where}})
    assert len(traces) == 6
    for trace in traces:
        prompt, address = trace["task"]["data"]["prompt"], trace["task"]["data"]["address"]
        assert trace["task"]["key"] == address and not address.endswith("/s1")
        assert trace["rewards"]["redqueen"]["score"] == (1.0 if even(prompt) else -1.0)


def test_the_folders_page_is_a_configuration(tmp_path):
    page = (ROOT / "examples/redqueen_taskset/README.md").read_text(encoding="utf-8")
    settings = json.loads(page.partition("```json\n")[2].partition("```")[0])
    traces = vf_eval(tmp_path, settings, marked)
    assert len(traces) == 20 and all(trace["rewards"]["redqueen"]["score"] == 1.0 for trace in traces)
    assert any((tmp_path / "evaluations").rglob("traces.jsonl"))
    files = importlib.metadata.files("redqueen-taskset")
    assert [str(file) for file in files if file.suffix == ".py"] == ["redqueen_taskset.py"]
    assert "RedQueen's problems" in importlib.metadata.metadata("redqueen-taskset")["Summary"]
    assert "# redqueen-taskset" in str(importlib.metadata.metadata("redqueen-taskset"))


def test_a_curriculum_draws_and_rises_with_right_answers(tmp_path, server):
    id = f"verifiers-{time.time_ns()}"
    taskset = {"suite": "Sorting", "settings": {"minimum_groups": 1, "rollouts": 1, "width": 1}, "at_once": 1,
               "task": {"url": server.url, "curriculum": id}}

    def levels(traces):
        return [int(trace["task"]["data"]["address"].split("/")[1]) for trace in traces]

    first = evaluate(tmp_path / "first", 5, taskset, answer=marked)
    assert len({trace["task"]["data"]["address"] for trace in first}) == 5 and min(levels(first)) == 0
    assert all(trace["rewards"]["redqueen"]["score"] == 1.0 for trace in first)
    curriculum = connect(server.url).join(id)
    assert curriculum._ask("GET", f"/{id}")["scored"] == 5
    risen = curriculum.levels()["Sorting"]
    assert risen[0] == risen[1] >= 1
    later = evaluate(tmp_path / "later", 2, taskset, answer=lambda _: "no idea", skip=5)
    assert set(levels(later)) == {risen[1]}  # what is drawn from now on
    assert curriculum.levels()["Sorting"] == risen  # and wrong answers raise nothing


def test_a_curriculum_needs_a_server(monkeypatch):
    monkeypatch.delenv("REDQUEEN_URL", raising=False)
    config = adapter.RedQueenConfig(suite="Sorting", task=adapter.RedQueenTaskConfig(curriculum="mine"))
    with pytest.raises(ValueError, match="REDQUEEN_URL"):
        next(iter(adapter.RedQueenTaskset(config)))


def test_worlds_are_no_single_answer(where):
    config = adapter.RedQueenConfig(suite="household", task=adapter.RedQueenTaskConfig(url=where))
    with pytest.raises(ValueError, match="household is a world of several turns.*openenv"):
        next(iter(adapter.RedQueenTaskset(config)))


def test_a_longer_list_goes_on_where_a_shorter_one_ended(where):
    config = adapter.RedQueenConfig(suite="Sorting", levels=[0, 1], task=adapter.RedQueenTaskConfig(url=where))
    problems = adapter.RedQueenTaskset(config)._problems()
    addresses = [next(problems)["address"] for _ in range(150)]
    assert len(set(addresses)) == 150
    assert addresses[:2] == ["Sorting@1/0/0/s1", "Sorting@1/1/0/s1"]

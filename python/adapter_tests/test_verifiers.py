"""verifiers' own `vf-eval` runs the taskset against a chat endpoint that solves every second problem."""
import json
import os
import pathlib
import subprocess
import sys
import time

from conftest import ROOT, marked, package

package("verifiers")
from oracle import Oracle  # noqa: E402

from redqueen.adapters import verifiers as adapter  # noqa: E402
from redqueen.connect import connect  # noqa: E402


def even(prompt):
    return sum(map(int, prompt.splitlines()[1].split())) % 2 == 0


def evaluate(tmp_path, limit, taskset):
    oracle = Oracle(lambda prompt: marked(prompt) if even(prompt) else "no idea")
    config = tmp_path / "eval.json"
    config.write_text(json.dumps({
        "model": "oracle", "push": False, "output_dir": str(tmp_path), "run": {"dir": "run"}, "select": {"limit": limit},
        "client": {"base_url": oracle.url, "api_key_var": "ORACLE_KEY"},
        "env": {"taskset": {"id": "redqueen_taskset", **taskset},
                "agent": {"harness": {"id": "null"}, "runtime": {"type": "subprocess"}}}}))
    binaries = pathlib.Path(sys.executable).parent
    path = os.pathsep.join([str(ROOT / "examples/redqueen_taskset"), *sys.path])
    run = subprocess.run([str(binaries / "vf-eval"), "@", str(config)], capture_output=True, text=True, cwd=tmp_path, timeout=240,
                         env={**os.environ, "ORACLE_KEY": "x", "PYTHONPATH": path, "PATH": f"{binaries}:{os.environ['PATH']}"})
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


def test_a_curriculum_draws_and_is_told(tmp_path, server):
    id = f"verifiers-{time.time_ns()}"
    traces = evaluate(tmp_path, 5, {"suite": "Sorting", "task": {"url": server.url, "curriculum": id}})
    assert len({trace["task"]["data"]["address"] for trace in traces}) == 5
    assert connect(server.url)._ask("GET", f"/v1/curricula/{id}")["scored"] == 5


def test_a_longer_list_goes_on_where_a_shorter_one_ended(where):
    config = adapter.RedQueenConfig(suite="Sorting", levels=[0, 1], task=adapter.RedQueenTaskConfig(url=where))
    problems = adapter.RedQueenTaskset(config)._problems()
    addresses = [next(problems)["address"] for _ in range(150)]
    assert len(set(addresses)) == 150
    assert addresses[:2] == ["Sorting@1/0/0/s1", "Sorting@1/1/0/s1"]

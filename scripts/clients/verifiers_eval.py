"""`vf-eval` of verifiers with a model that knows the answers but one: --taskset openenv, nemo_gym, or redqueen_taskset, which
stands in this folder. Its harness runs a script with `uv`, which must be on PATH."""
import json
import os
import pathlib
import subprocess
import sys
import tempfile

from common import Checks, Model, arguments

given, check = arguments(__doc__, "--taskset"), Checks()
first = given.problems[0]
problems = given.problems
if given.taskset == "redqueen_taskset":
    problems = [problem for problem in problems if problem["environment"] == first["environment"]]
model = Model(problems, fails_at=[first["address"]])
here = pathlib.Path(__file__).resolve().parent


def taskset(folder):
    """Its settings, the name of its reward, and how a trace tells its problem's address."""
    if given.taskset == "openenv":
        resets = [{"address": problem["address"]} for problem in problems]
        return {"base_url": given.url, "resets": resets}, "openenv_reward", lambda data: data["reset"]["address"]
    if given.taskset == "nemo_gym":
        rows = folder / "rows.jsonl"
        rows.write_text("".join(json.dumps({
            "responses_create_params": {"input": [{"role": "user", "content": problem["prompt"]}]},
            "address": problem["address"]}) + "\n" for problem in problems))
        return {"dataset": str(rows), "task": {"resources_url": given.url}}, "nemo_gym", lambda data: data["row"]["address"]
    settings = {key: first[key] for key in ("environment", "level", "seed")}
    return {**settings, "task": {"base_url": given.url}}, "redqueen", lambda data: data["address"]


with tempfile.TemporaryDirectory() as name:
    folder = pathlib.Path(name)
    settings, reward_name, address_of = taskset(folder)
    agent = {"harness": {"id": "null"}, "runtime": {"type": "subprocess"}}
    config = {"model": "model", "push": False, "output_dir": name, "run": {"dir": "run"},
              "client": {"base_url": model.url, "api_key_var": "MODEL_KEY"},
              "env": {"taskset": {"id": given.taskset, **settings}, "player" if given.taskset == "openenv" else "agent": agent}}
    if given.taskset == "redqueen_taskset":
        config["select"] = {"limit": len(problems)}  # it has no end
    (folder / "eval.json").write_text(json.dumps(config))
    programs = pathlib.Path(sys.executable).parent
    environment = {**os.environ, "MODEL_KEY": "none", "PYTHONPATH": str(here), "PATH": f"{programs}:{os.environ['PATH']}"}
    run = subprocess.run([programs / "vf-eval", "@", folder / "eval.json"], capture_output=True, text=True, env=environment, cwd=folder)
    lines = [json.loads(line) for file in folder.rglob("traces.jsonl") for line in file.read_text().splitlines()]
check("vf-eval ends well", run.returncode == 0, run.stdout[-1500:] + run.stderr[-2500:])
check("a trace for each problem", len(lines) == len(problems), len(lines))
for line in lines:
    trace = line["traces"][0] if isinstance(line.get("traces"), list) else line
    address = address_of(trace["task"]["data"])
    value = (trace["rewards"] or {}).get(reward_name)
    value = value["score"] if isinstance(value, dict) else value
    check("the reward", value is not None and ((value < 1.0) if address == first["address"] else (value == 1.0)), (address, value))
check.end()

#!/usr/bin/env python3
"""An evaluation by verifiers' `vf-eval` of a model behind a chat endpoint, on problems of the split that nobody trains on.

    python examples/verifiers_evaluation.py --model NAME --endpoint http://127.0.0.1:8001/v1 --suite Sorting --size 20
"""
import argparse
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

import redqueen
from redqueen.adapters import _source

HERE = pathlib.Path(__file__).resolve().parent


def levels(text):
    return [int(level) for level in text.split(",")]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--model", required=True)
    parser.add_argument("--endpoint", required=True, help="base URL of the chat endpoint")
    parser.add_argument("--key-variable", default="OPENAI_API_KEY", help="environment variable that holds the endpoint's key")
    parser.add_argument("--suite", default="Sorting")
    parser.add_argument("--levels", default="0", type=levels, help="whole numbers, with commas between")
    parser.add_argument("--size", type=int, default=20, help="how many problems, at least one")
    parser.add_argument("--url", help="servers; without it, and without $REDQUEEN_URL, the engine in this process")
    options = parser.parse_args()
    if options.size < 1:
        parser.error(f"argument --size: at least one problem, and not {options.size}")

    try:  # before vf-eval starts, which would end in a trace of its stack
        _source.source(options.url).dataset(options.suite, options.levels, options.size, split="test")
    except redqueen.UsageError as error:  # an unknown suite, a level that it has not
        parser.error(str(error))
    except redqueen.Error as error:
        sys.exit(f"{parser.prog}: {error}")

    binaries = os.pathsep.join([str(pathlib.Path(sys.executable).parent), os.environ.get("PATH", "")])
    program = shutil.which("vf-eval", path=binaries)
    if program is None:
        sys.exit("verifiers_evaluation.py: there is no vf-eval: pip install verifiers")
    taskset = {"id": "redqueen_taskset", "suite": options.suite, "levels": options.levels, "size": options.size, "split": "test",
               "task": {"url": options.url}}
    with tempfile.TemporaryDirectory() as folder:
        config = pathlib.Path(folder, "eval.json")
        config.write_text(json.dumps({
            "model": options.model, "push": False, "output_dir": folder, "run": {"dir": "run"}, "select": {"limit": options.size},
            "client": {"base_url": options.endpoint, "api_key_var": options.key_variable},
            # Without these two, verifiers' defaults run the model in a cloud and send the results there.
            "env": {"taskset": taskset, "agent": {"harness": {"id": "null"}, "runtime": {"type": "subprocess"}}}}))
        path = os.pathsep.join(str(entry) for entry in [HERE / "redqueen_taskset", *filter(None, sys.path)])
        environment = {options.key_variable: "none", **os.environ, "PYTHONPATH": path, "PATH": binaries}
        code = subprocess.run([program, "@", str(config)], env=environment, cwd=folder, stdout=subprocess.DEVNULL).returncode
        if code:
            sys.exit(f"{parser.prog}: vf-eval failed with exit code {code}; what it said stands above")
        traces = [trace for file in pathlib.Path(folder).rglob("traces.jsonl") for line in file.read_text().splitlines()
                  for trace in json.loads(line)["traces"][:1]]
    scored = [trace for trace in traces if "redqueen" in trace.get("rewards", {})]
    if len(scored) < options.size:
        sys.exit(f"{parser.prog}: {len(scored)} of {options.size} problems were scored; does the model answer at {options.endpoint}?")
    rewards = [trace["rewards"]["redqueen"]["score"] for trace in scored]
    solved = [trace["metrics"]["solved"] for trace in scored]
    print(f"{len(rewards)} problems: reward {sum(rewards) / len(rewards):.3f}, solved {sum(solved) / len(solved):.3f}")


if __name__ == "__main__":
    main()

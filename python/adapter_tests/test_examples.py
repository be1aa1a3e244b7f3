"""Every example runs, small, and says what it should."""
import json
import os
import pathlib
import re
import subprocess
import sys

import pytest
from conftest import ROOT, marked, package

EXAMPLES = ROOT / "examples"


def run(name, *arguments, cwd, **environment):
    path = os.pathsep.join([str(EXAMPLES), *filter(None, sys.path)])
    done = subprocess.run([sys.executable, EXAMPLES / name, *map(str, arguments)], capture_output=True, text=True, cwd=cwd, timeout=300,
                          env={**os.environ, "PYTHONPATH": path, **environment})
    assert done.returncode == 0, done.stdout[-2000:] + done.stderr[-2000:]
    return done.stdout


def test_every_example_is_run_here():
    here = "".join(test.read_text(encoding="utf-8") for test in pathlib.Path(__file__).parent.glob("test_*.py"))
    # test_verl.py: veRL composes verl_grpo.sh. tiny_model.py is what the others import.
    for file in [*EXAMPLES.glob("*.py"), *EXAMPLES.glob("*.sh")]:
        assert file.name in here or file.name == "tiny_model.py", file


@pytest.mark.parametrize("form", ["plain", "verl", "slime", "nemo-gym"])
def test_data_sets_are_exported(form, server, tmp_path):
    said = run("export_data_set.py", "Sorting,Multiplication", "--levels", "0,1", "--size", 10, "--for", form, "--out", "rows.jsonl",
               "--url", server.url, cwd=tmp_path)
    assert said == "10 problems in rows.jsonl\n"
    rows = [json.loads(line) for line in (tmp_path / "rows.jsonl").read_text().splitlines()]
    assert len(rows) == 10 and all("Sorting@1/" in json.dumps(row) for row in rows[::2])


def test_grpo_on_one_environment(server, tmp_path):
    package("trl")
    said = run("trl_one_environment.py", "--steps", 1, "--url", server.url, cwd=tmp_path)
    assert re.search(r"^step 1: reward -\d\.\d+, solved 0\.000$", said, re.M)


def test_grpo_on_an_adaptive_suite(server, tmp_path):
    package("trl")
    said = run("trl_adaptive_suite.py", "--steps", 1, "--url", server.url, cwd=tmp_path)
    assert re.search(r"^step 1: reward", said, re.M) and re.search(r"^Sorting: levels 0 to \d$", said, re.M)


def test_grpo_in_many_turns(server, tmp_path):
    package("trl")
    said = run("trl_many_turns.py", "--steps", 1, "--turns", 2, "--url", server.url, cwd=tmp_path)
    found = re.search(r"^step 1: reward -\d\.\d+, (\d+) tokens an episode$", said, re.M)
    assert found and int(found[1]) >= 2, said


def test_verifiers_evaluates(server, tmp_path):
    package("verifiers")
    from oracle import Oracle

    oracle = Oracle(marked)
    said = run("verifiers_evaluation.py", "--model", "oracle", "--endpoint", oracle.url, "--size", 3, "--url", server.url, cwd=tmp_path)
    oracle.shutdown()
    assert said == "3 problems: reward 1.000, solved 1.000\n"


def test_an_own_environment(tmp_path):
    said = run("own_environment.py", cwd=tmp_path)
    assert "odd or even?" in said and "solved=True" in said and "'parity': (" in said


# Options of slime/utils/arguments.py at 624b824.
SLIME = set("""hf-checkpoint apply-chat-template data-source-path custom-rm-path custom-config-path advantage-estimator n-samples-per-prompt
rollout-batch-size num-rollout rollout-max-response-len rollout-temperature prompt-data input-key label-key rm-type rm-url""".split())


def test_slimes_line_names_its_options_and_writes_its_settings(server, tmp_path):
    """slime_grpo.sh, with a program in the place of slime's that shows what it was given."""
    yaml = package("yaml")
    (tmp_path / "train.py").write_text("import json, sys; print(json.dumps(sys.argv[1:]))")
    done = subprocess.run([EXAMPLES / "slime_grpo.sh", "--num-rollout", "3"], capture_output=True, text=True, cwd=tmp_path, check=True,
                          env={**os.environ, "URL": server.url, "MODEL": "/models/m", "PYTHON": sys.executable})
    given = json.loads(done.stdout)
    assert {word[2:] for word in given if word.startswith("--")} <= SLIME
    settings = yaml.safe_load((tmp_path / given[given.index("--custom-config-path") + 1]).read_text())
    assert settings == {"redqueen_suite": "c16", "redqueen_url": server.url, "redqueen_id": "slime", "redqueen_settings": {"minimum_groups": 8}}
    for option in ("--data-source-path", "--custom-rm-path"):
        module, name = given[given.index(option) + 1].rsplit(".", 1)
        assert hasattr(__import__(module, fromlist=[name]), name)

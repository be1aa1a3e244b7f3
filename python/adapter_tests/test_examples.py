"""Every example runs, small, and says what it should."""
import json
import os
import pathlib
import re
import runpy
import subprocess
import sys
import tomllib
import types

import pytest
from support import ROOT, marked, package
from redqueen.adapters import verl as verl_adapter

EXAMPLES = ROOT / "examples"


def start(name, *arguments, cwd, **environment):
    environment = {"REDQUEEN_URL": "", **environment}  # without --url, the engine in the process
    path = os.pathsep.join([str(EXAMPLES), *filter(None, sys.path)])
    return subprocess.run([sys.executable, EXAMPLES / name, *map(str, arguments)], capture_output=True, text=True, cwd=cwd, timeout=300,
                          env={**os.environ, "PYTHONPATH": path, **environment})


def run(name, *arguments, cwd, **environment):
    done = start(name, *arguments, cwd=cwd, **environment)
    assert done.returncode == 0, done.stdout[-2000:] + done.stderr[-2000:]
    return done.stdout


def refused(code, sentence, name, *arguments, cwd, **environment):
    """An example ends with a sentence on what is wrong, and without a trace of its stack."""
    done = start(name, *arguments, cwd=cwd, **environment)
    assert done.returncode == code and not done.stdout, done.stdout + done.stderr
    assert "Traceback" not in done.stderr and re.search(sentence, done.stderr.splitlines()[-1]), done.stderr


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


@pytest.mark.parametrize("code, sentence, arguments", [
    (2, 'there is no suite or environment "Sortin"', ["Sortin"]),
    (2, "invalid levels value: 'x'", ["Sorting", "--levels", "x"]),
    (2, "levels: whole numbers from 0 to 2147483647, and not -1", ["Sorting", "--levels=-1"]),
    (2, "Sorting has the levels 0 to 100, not 1000", ["Sorting", "--levels", "1000"]),
    (1, "No such file or directory: 'nowhere/rows.jsonl'", ["Sorting", "--out", "nowhere/rows.jsonl"]),
    (2, 'there is no suite or environment "Sortin"', ["Sortin", "--url", "SERVER"]),
])
def test_what_cannot_be_exported_is_said(code, sentence, arguments, server, tmp_path):
    arguments = [server.url if word == "SERVER" else word for word in arguments]
    refused(code, sentence, "export_data_set.py", "--out", "rows.jsonl", *arguments, cwd=tmp_path)
    assert not (tmp_path / "rows.jsonl").exists()


def test_an_export_to_parquet_needs_datasets(tmp_path):
    (tmp_path / "datasets.py").write_text("raise ImportError")
    refused(1, "pip install datasets", "export_data_set.py", "Sorting", "--out", tmp_path / "rows.parquet", cwd=tmp_path,
            PYTHONPATH=os.pathsep.join([str(tmp_path), *filter(None, sys.path)]))


def asking(where):
    return ["--url", where] if where else []


@pytest.mark.parametrize("name, option", [
    ("trl_one_environment.py", "--environment"), ("trl_many_turns.py", "--environment"), ("trl_adaptive_suite.py", "--suite")])
def test_grpo_on_what_is_not_there_is_refused(name, option, tmp_path):
    package("trl")
    refused(2, 'no (suite or )?environment "Sortin"', name, option, "Sortin", cwd=tmp_path)
    refused(2, "--steps: at least 1", name, "--steps", 0, cwd=tmp_path)
    refused(2, "127.0.0.1:9", name, "--url", "http://127.0.0.1:9", cwd=tmp_path)


def test_grpo_on_one_environment(tmp_path):
    package("trl")
    said = run("trl_one_environment.py", "--steps", 1, cwd=tmp_path)
    assert re.search(r"^step 1: reward -\d\.\d+, solved 0\.000$", said, re.M)


def test_grpo_on_an_adaptive_suite(tmp_path):
    package("trl")
    said = run("trl_adaptive_suite.py", "--steps", 1, cwd=tmp_path)
    assert re.search(r"^step 1: reward -", said, re.M)
    assert re.search(r"^Sorting: levels 0 to 0$", said, re.M)  # an untaught model raises nothing


def taught(monkeypatch, capsys, name, *arguments):
    """What an example says that is run with a model that sorts right, and is trained as ever."""
    sys.path.insert(0, str(EXAMPLES))
    from scripted import scripted

    model = scripted(lambda text: marked(text.partition("user: ")[2]))
    replaced = types.ModuleType("tiny_model")
    replaced.tiny_model = lambda: model
    monkeypatch.setitem(sys.modules, "tiny_model", replaced)
    monkeypatch.setattr(sys, "argv", [name, *map(str, arguments)])
    runpy.run_path(str(EXAMPLES / name), run_name="__main__")
    return capsys.readouterr().out


def test_rewards_reach_grpo_on_one_environment(where, monkeypatch, capsys):
    package("trl")
    said = taught(monkeypatch, capsys, "trl_one_environment.py", "--steps", 2, *asking(where))
    assert re.findall(r"^step \d: reward (.*), solved (.*)$", said, re.M) == [("1.000", "1.000")] * 2


def test_the_adaptive_suite_rises(where, monkeypatch, capsys):
    package("trl")
    said = taught(monkeypatch, capsys, "trl_adaptive_suite.py", "--suite", "Sorting", "--steps", 10, *asking(where))
    assert re.findall(r"^step \d+: reward (.*), solved (.*)$", said, re.M) == [("1.000", "1.000")] * 10
    found = re.search(r"^Sorting: levels 0 to (\d)$", said, re.M)
    assert found and int(found[1]) >= 2, said


def test_grpo_in_many_turns(tmp_path):
    package("trl")
    said = run("trl_many_turns.py", "--steps", 1, "--turns", 2, cwd=tmp_path)
    found = re.search(r"^step 1: reward -\d\.\d+, (\d+) tokens an episode$", said, re.M)
    assert found and int(found[1]) >= 2, said


def test_verifiers_evaluates(server, tmp_path):
    package("verifiers")
    from oracle import Oracle

    oracle = Oracle(marked)
    asked = ["--model", "oracle", "--endpoint", oracle.url, "--size", 3, "--url", server.url]
    said = run("verifiers_evaluation.py", *asked, cwd=tmp_path)
    assert said == "3 problems: reward 1.000, solved 1.000\n"
    nobody = start("verifiers_evaluation.py", *asked, "--endpoint", "http://127.0.0.1:1/v1", cwd=tmp_path)
    assert nobody.returncode == 1 and not nobody.stdout and "verifiers_evaluation.py: " in nobody.stderr.splitlines()[-1], nobody.stderr
    oracle.shutdown()


def test_the_folder_of_the_taskset_is_whole():
    """What is published; scripts/check_trainers installs it, and vf-eval runs the configuration of its page."""
    folder = EXAMPLES / "redqueen_taskset"
    project = tomllib.loads((folder / "pyproject.toml").read_text())
    own = tomllib.loads((ROOT / "python/pyproject.toml").read_text())
    page = (folder / project["project"]["readme"]).read_text(encoding="utf-8")
    assert project["project"]["license"] == own["project"]["license"]
    verifiers, = (word for word in project["project"]["dependencies"] if word.startswith("verifiers"))
    assert verifiers.removesuffix(".0") in own["project"]["optional-dependencies"]["verifiers"]
    assert {*project["tool"]["hatch"]["build"]["include"]} == {file.name for file in folder.glob("*.py")}
    taskset = json.loads(page.partition("```json\n")[2].partition("```")[0])["env"]["taskset"]
    assert (folder / (taskset.pop("id") + ".py")).exists()
    tables = [re.findall(r"^\| (`.*?`) \|", text, re.M) for text in (page, (ROOT / "docs/trainers/verifiers.md").read_text(encoding="utf-8"))]
    assert tables[0] == tables[1]
    listed = {name.removeprefix("task.") for row in tables[0] for name in re.findall(r"`([\w.]+)`", row)}
    adapter = (ROOT / "python/redqueen/adapters/verifiers.py").read_text(encoding="utf-8")
    fields = {*re.findall(r"^    (\w+): .+ = ", adapter, re.M)} - {"task"}
    assert listed == fields and set(taskset) <= fields


# What vf-eval is asked by examples/verifiers_evaluation.py, and what it leaves behind: config of verifiers 0.4.
VF_EVAL = """
import json, os, pathlib, sys
at, path = sys.argv[1:]
config = json.load(open(path))
taskset = config["env"]["taskset"]
assert at == "@" and set(config) == {"model", "push", "output_dir", "run", "select", "client", "env"}, config
assert any(pathlib.Path(folder, taskset["id"] + ".py").exists() for folder in os.environ["PYTHONPATH"].split(os.pathsep))
assert config["env"]["agent"]["runtime"] == {"type": "subprocess"} and config["push"] is False and taskset["split"] == "test"
assert os.environ[config["client"]["api_key_var"]] and config["select"] == {"limit": taskset["size"]}
folder = pathlib.Path(config["output_dir"], config["run"]["dir"])
folder.mkdir()
with open(folder / "traces.jsonl", "w") as file:
    for i in range(taskset["size"]):
        trace = {"rewards": {"redqueen": {"score": 1.0 - 2 * (i % 2)}}, "metrics": {"solved": 1.0 - i % 2}}
        file.write(json.dumps({"traces": [trace]}) + "\\n")
"""


def test_the_verifiers_evaluation_asks_and_reads(tmp_path):
    """verifiers_evaluation.py, with a program in the place of vf-eval that reads what it was given."""
    program = tmp_path / "vf-eval"
    program.write_text(f"#!{sys.executable}\n{VF_EVAL}")
    program.chmod(0o755)
    asked = ["--model", "m", "--endpoint", "http://127.0.0.1:1/v1", "--levels", "0,2", "--size", 4]
    said = run("verifiers_evaluation.py", *asked, cwd=tmp_path, PATH=f"{tmp_path}:{os.environ['PATH']}")
    assert said == "4 problems: reward 0.000, solved 0.500\n"
    program.unlink()
    without = subprocess.run([sys.executable, EXAMPLES / "verifiers_evaluation.py", *map(str, asked)], capture_output=True, text=True,
                             env={**os.environ, "PATH": "/nowhere"})
    if without.returncode != 1 or "pip install verifiers" not in without.stderr:
        package("verifiers")  # installed, it is found beside Python
    missing = subprocess.run([sys.executable, EXAMPLES / "verifiers_evaluation.py"], capture_output=True, text=True)
    assert missing.returncode == 2 and "--endpoint" in missing.stderr


# What vf-eval may leave behind where something went wrong.
UNSCORED = """
import json, pathlib, sys
config = json.load(open(sys.argv[2]))
folder = pathlib.Path(config["output_dir"], config["run"]["dir"])
folder.mkdir()
(folder / "traces.jsonl").write_text("".join(json.dumps({"traces": made}) + "\\n" for made in MADE))
"""


@pytest.mark.parametrize("code, sentence, program", [
    (1, "vf-eval failed with exit code 3", "import sys; sys.exit(3)"),
    (1, "0 of 4 problems were scored.*http://127.0.0.1:1/v1", ""),
    (1, "0 of 4 problems were scored", UNSCORED.replace("MADE", "[[{'rewards': {}, 'metrics': {}}]] * 4")),
    (1, "1 of 4 problems were scored", UNSCORED.replace("MADE", "[[{'rewards': {'redqueen': {'score': 1}}}]] + [[]] * 2 + [[{'error': 'x'}]]")),
])
def test_an_evaluation_that_goes_wrong_says_so(code, sentence, program, tmp_path):
    (tmp_path / "vf-eval").write_text(f"#!{sys.executable}\n{program}")
    (tmp_path / "vf-eval").chmod(0o755)
    asked = ["--model", "m", "--endpoint", "http://127.0.0.1:1/v1", "--size", 4]
    refused(code, sentence, "verifiers_evaluation.py", *asked, cwd=tmp_path, PATH=f"{tmp_path}:{os.environ['PATH']}")


def test_an_evaluation_that_cannot_be_is_refused(tmp_path):
    asked = ["--model", "m", "--endpoint", "http://127.0.0.1:1/v1"]
    refused(2, "at least one problem, and not 0", "verifiers_evaluation.py", *asked, "--size", 0, cwd=tmp_path)
    refused(2, "invalid levels value: 'x'", "verifiers_evaluation.py", *asked, "--levels", "x", cwd=tmp_path)
    refused(2, 'there is no suite or environment "Sortin"', "verifiers_evaluation.py", *asked, "--suite", "Sortin", cwd=tmp_path)
    refused(2, "Sorting has the levels 0 to 100, not 1000", "verifiers_evaluation.py", *asked, "--levels", "1000", cwd=tmp_path)


# Options of veRL's ppo_trainer at 0.9.1 that examples/verl_grpo.sh sets; test_verl.py holds them against the package.
VERL = set("""algorithm.adv_estimator data.train_files data.val_files data.custom_cls.path data.custom_cls.name data.shuffle
data.dataloader_num_workers data.train_batch_size data.max_prompt_length data.max_response_length actor_rollout_ref.model.path
actor_rollout_ref.rollout.n actor_rollout_ref.rollout.name reward.custom_reward_function.path reward.custom_reward_function.name
trainer.total_epochs""".split())
VERL_SECTIONS = {"data", "reward.custom_reward_function.reward_kwargs"}  # that take options of ours


def test_veRLs_line_names_its_options_and_what_they_load(server, tmp_path):
    """verl_grpo.sh, with a program in the place of veRL's that shows what it was given."""
    python = tmp_path / "python"
    python.write_text(f"#!/bin/sh\n[ \"$1\" = -m ] || exec {sys.executable} \"$@\"\nprintf '%s\\n' \"$@\"\n")
    python.chmod(0o755)
    done = subprocess.run([EXAMPLES / "verl_grpo.sh", "trainer.total_epochs=1"], capture_output=True, text=True, cwd=tmp_path, check=True,
                          env={**os.environ, "URL": server.url, "MODEL": "some/model", "PYTHON": str(python), "SUITE": "Sorting"})
    exported, module, entry, *options = done.stdout.splitlines()
    assert exported == "256 problems in validation.parquet" and (module, entry) == ("-m", "verl.trainer.main_ppo")
    given = dict(option.split("=", 1) for option in options)
    assert {key for key in given if not key.startswith("+")} == VERL
    ours = {key[1:]: value for key, value in given.items() if key.startswith("+")}
    assert all(any(key.startswith(f"{section}.") for section in VERL_SECTIONS) for key in ours)
    assert (tmp_path / given["data.val_files"]).exists()
    for place in ("data.custom_cls", "reward.custom_reward_function"):
        module = given[f"{place}.path"].removeprefix("pkg://")
        assert callable(getattr(__import__(module, fromlist=["x"]), given[f"{place}.name"]))
    kwargs = {key.rpartition(".")[2]: value for key, value in ours.items() if "reward_kwargs" in key}
    settings = {key.rpartition(".")[2]: value.strip("'") for key, value in ours.items() if key.startswith("data.redqueen.")}
    settings["rollouts"] = int(settings["rollouts"])
    drawn = verl_adapter.CurriculumDataset([given["data.train_files"]], None, {"redqueen": settings})[0]
    scored = verl_adapter.compute_score(drawn["data_source"], "no", drawn["reward_model"]["ground_truth"], drawn["extra_info"], **kwargs)
    assert scored["score"] == -1.0
    without = subprocess.run([EXAMPLES / "verl_grpo.sh"], capture_output=True, text=True, env={"PATH": os.environ["PATH"]})
    assert without.returncode != 0 and "URL: the URL of redqueen serve" in without.stderr


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

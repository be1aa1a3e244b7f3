"""Every Python snippet of docs/trainers/ runs, in the order of its page, with a server and with the engine in this process; every
line of a command, of options or of settings is one that its program takes."""
import os
import re
import shlex
import subprocess
import sys
import time

import pytest
from support import ROOT, marked, package, sorted_answer

PAGES = ROOT / "docs/trainers"
NEEDS = {"README": [], "trl": ["trl"], "verifiers": ["verifiers"], "verl": ["datasets"], "slime": [], "skyrl": ["skyrl_gym"], "nemo-gym": ["yaml"],
         "openenv": ["openenv"], "reasoning-gym": ["reasoning_gym"], "gymnasium": ["gymnasium"], "inspect": ["inspect_ai"],
         "lm-eval": ["lm_eval"]}
ASK_A_SERVER = {"README", "openenv"}  # and nothing else


def given(page, folder):
    """What a page takes for granted."""
    if page == "trl":
        from trl import GRPOConfig

        sys.path.insert(0, str(ROOT / "examples"))
        from tiny_model import tiny_model

        model, tokenizer = tiny_model()
        config = GRPOConfig(output_dir=str(folder), per_device_train_batch_size=4, num_generations=2, max_completion_length=4,
                            max_steps=1, report_to=[], save_strategy="no", use_cpu=True, disable_tqdm=True)
        return {"model": model, "tokenizer": tokenizer, "config": config}
    if page == "lm-eval":
        from lm_eval.api.model import LM

        class Sorter(LM):
            def generate_until(self, requests, disable_tqdm=False):
                return [marked(request.args[0]) for request in requests]

            def loglikelihood(self, requests):
                raise NotImplementedError

            loglikelihood_rolling = loglikelihood

        return {"model": Sorter()}
    if page == "skyrl":
        from skyrl_gym.envs import registration

        registration.registry.pop("redqueen", None)  # by another test; a name is given once
    return {}


def test_every_page_is_run():
    assert {page.stem for page in PAGES.glob("*.md")} == set(NEEDS)
    index = (PAGES / "README.md").read_text()
    assert all(f"({page}.md)" in index for page in NEEDS if page != "README")


@pytest.mark.parametrize("page", NEEDS)
def test_snippets(page, where, server, tmp_path, monkeypatch, capsys):
    for module in NEEDS[page]:
        package(module)
    if page in ASK_A_SERVER and where is None:
        pytest.skip("this page asks a server")
    monkeypatch.chdir(tmp_path)
    if where:
        monkeypatch.setenv("REDQUEEN_URL", where)
    names = given(page, tmp_path)
    snippets = re.findall(r"^```python\n(.*?)^```", (PAGES / f"{page}.md").read_text(encoding="utf-8"), re.M | re.S)
    assert snippets
    for snippet in snippets:
        exec(compile(snippet.replace("http://127.0.0.1:8000", server.url), f"{page}.md", "exec"), names)
    if page == "lm-eval":
        assert "'solved,none': 1.0" in capsys.readouterr().out
    if page == "README":
        row = names["rows"][0]
        answer = sorted_answer(row["prompt"])
        said = [f"\\boxed{{{answer}}}", f"\\boxed{{{answer.replace(' ', ', ')}}}", f"<answer>{answer}</answer>", answer]
        assert names["reward"](said, [row["address"]] * 4, level=[0] * 4) == [1.0, 1.0, -1.0, -1.0]


# Options of slime beside those of slime_grpo.sh (test_examples.py): slime/utils/arguments.py at 624b824. And those of agent
# loops in veRL's ppo_trainer at 0.9.1, which test_verl.py sets there.
SLIME_MORE = {"custom-generate-function-path", "partial-rollout"}
VERL_AGENT = {"actor_rollout_ref.rollout.agent.agent_loop_config_path", "actor_rollout_ref.rollout.agent.default_agent_loop"}
SKYRL = {"url", "curriculum", "suite"}  # below environment.skyrl_gym.NAME, where SkyRL keeps what is an environment's own


def lines(page):
    """What stands in fences that are neither Python nor YAML, but for installing."""
    text = (PAGES / f"{page}.md").read_text(encoding="utf-8")
    fences = re.findall(r"^```(\w*)\n(.*?)^```", text, re.M | re.S)
    return [line for kind, body in fences if kind not in ("python", "yaml") for line in body.splitlines()
            if line.strip() and not line.lstrip().startswith(("pip ", "#"))]


def check_line(line, server, tmp_path):
    from test_examples import EXAMPLES, SLIME, VERL

    words = shlex.split(line, comments=True)
    if words[0].startswith("--"):
        assert {word[2:] for word in words if word.startswith("--")} <= SLIME | SLIME_MORE, line
        for word in words:
            if word.startswith("redqueen.adapters."):
                module, name = word.rsplit(".", 1)
                assert callable(getattr(__import__(module, fromlist=[name]), name)), word
    elif words[0] == "redqueen":
        options = words[1:]
        announced = tmp_path / "announced"
        if "--port" in options:
            options[options.index("--port") + 1] = "0"
        process = subprocess.Popen([os.environ["REDQUEEN_BINARY"], *options, "--announce", announced], cwd=tmp_path, stderr=subprocess.PIPE)
        while process.poll() is None and not announced.exists():
            time.sleep(0.02)
        process.terminate()
        assert announced.exists(), process.communicate()[1]
        process.communicate()
    elif words[0] == "python3":  # writes a file that a later line reads
        subprocess.run(line, shell=True, cwd=tmp_path, check=True)
    elif words[0] == "python":
        program = ROOT / words[1]
        said = subprocess.run([sys.executable, program, "--help"], capture_output=True, text=True, check=True).stdout
        assert all(word in said for word in words if word.startswith("--")), line
    elif words[:2] == ["inspect", "eval"]:
        package("inspect_ai")
        run_inspect(words, server, tmp_path)
    elif any(word.endswith(".sh") for word in words):
        script = (ROOT / next(word for word in words if word.endswith(".sh"))).read_text()
        assert all(f"${{{word.split('=')[0]}:" in script for word in words if "=" in word), line
    else:
        script = (EXAMPLES / "verl_grpo.sh").read_text()
        for word in words:
            key = word.lstrip("+").split("=")[0]
            if key.startswith("environment.skyrl_gym.redqueen."):
                assert key.rpartition(".")[2] in SKYRL, word
            else:
                assert "=" in word and (key in VERL | VERL_AGENT or f" +{key}=" in script), word


def run_inspect(words, server, tmp_path):
    """The command's file and arguments, small, with a model that says nothing to the point; `inspect eval` asks this function."""
    import inspect_ai
    from inspect_ai.model import ModelOutput, ModelUsage, get_model

    def answer(*_):
        out = ModelOutput.from_content("mockllm", "I wait.")
        out.usage = ModelUsage(input_tokens=1, output_tokens=1, total_tokens=2)  # else a tokenizer is fetched to count
        return out

    file = tmp_path / words[2]
    file.write_text(re.search(r"^```python\n(.*?)^```", (PAGES / "inspect.md").read_text(), re.M | re.S)[1])
    given = dict(word.split("=") for before, word in zip(words, words[1:]) if before == "-T")
    given = {key: 2 if key in ("size", "max_turns") else value for key, value in given.items()}
    log = inspect_ai.eval(file.name, task_args=given, model=get_model("mockllm/model", custom_outputs=answer), log_dir=str(tmp_path),
                          display="none")[0]
    assert log.status == "success" and len(log.samples) == 2, log.error
    assert all(sample.scores["redqueen_scorer"].value["solved"] == 0.0 for sample in log.samples)


@pytest.mark.parametrize("page", NEEDS)
def test_lines(page, server, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for line in lines(page):
        check_line(line, server, tmp_path)


def test_the_settings_of_the_pages_are_read():
    """YAML of the pages: slime's is what the example writes, and veRL's makes the agent loop (test_verl.py runs it)."""
    yaml = package("yaml")
    settings = {page: yaml.safe_load(re.search(r"^```yaml\n(.*?)^```", (PAGES / f"{page}.md").read_text(), re.M | re.S)[1])
                for page in ("slime", "verl")}
    example = re.search(r"YAML\n(.*?)^YAML", (ROOT / "examples/slime_grpo.sh").read_text(), re.M | re.S)[1]
    assert settings["slime"].keys() == yaml.safe_load(example).keys()
    loop, = settings["verl"]
    assert loop.pop("name") == "redqueen" and loop.pop("_target_") == "redqueen.adapters.verl_agent.RedQueenAgentLoop"
    source = (ROOT / "python/redqueen/adapters/verl_agent.py").read_text()
    assert all(re.search(rf"\b{key}: \w+", source) for key in loop)

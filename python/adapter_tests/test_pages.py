"""Every Python snippet of docs/trainers/ runs, in the order of its page, with a server and with the engine in this process."""
import re
import sys

import pytest
from conftest import ROOT, marked, package

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

"""Inspect and lm-evaluation-harness run their own evaluations on models that answer from a list."""
import pytest
from conftest import marked, package


def test_inspect_evaluates(where, tmp_path):
    package("inspect_ai")
    import inspect_ai
    from inspect_ai.model import ModelOutput, ModelUsage, get_model

    from redqueen.adapters.inspect import redqueen

    def answer(messages, tools, choice, config):
        text = messages[-1].text
        out = ModelOutput.from_content("mockllm", marked(text) if len(text.splitlines()[1].split()) % 2 else "no idea")
        out.usage = ModelUsage(input_tokens=1, output_tokens=1, total_tokens=2)  # else a tokenizer is fetched to count
        return out

    task = redqueen("Sorting", levels="0,1", size=6, url=where)
    log = inspect_ai.eval(task, model=get_model("mockllm/model", custom_outputs=answer), log_dir=str(tmp_path), display="none")[0]
    assert log.status == "success", log.error
    assert len(log.samples) == 6
    for sample in log.samples:
        right = len(sample.input.splitlines()[1].split()) % 2 == 1
        assert sample.scores["redqueen_scorer"].value == {"reward": 1.0 if right else -1.0, "solved": float(right)}
        assert "/s1" not in sample.target  # the split that evaluation asks


def test_lm_eval_evaluates(where):
    package("lm_eval")
    import lm_eval
    from lm_eval.api.model import LM

    from redqueen.adapters.lm_eval import lm_eval_task

    class Sorter(LM):
        def generate_until(self, requests, disable_tqdm=False):
            texts = [request.args[0] for request in requests]
            return [marked(text) if i % 3 else "no idea" for i, text in enumerate(texts)]

        def loglikelihood(self, requests):
            raise NotImplementedError

        def loglikelihood_rolling(self, requests):
            raise NotImplementedError

    task = lm_eval_task("Sorting", levels=[0, 1], size=9, url=where)
    results = lm_eval.simple_evaluate(Sorter(), tasks=[task], bootstrap_iters=0)["results"]["redqueen-Sorting"]
    assert results["solved,none"] == pytest.approx(6 / 9)
    assert results["reward,none"] == pytest.approx((6 - 3) / 9)

"""Inspect and lm-evaluation-harness run their own evaluations on models that answer from a list."""
import json

import pytest
from support import marked, package


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


@pytest.mark.parametrize("calls_tools", [True, False])
def test_inspect_plays_worlds(where, tmp_path, calls_tools):
    """A model that solves one household of two, by native tool calls or by commands in its text."""
    package("inspect_ai")
    import inspect_ai
    import redqueen as engine
    from inspect_ai.model import ModelOutput, ModelUsage, get_model
    from support import turns_of

    from redqueen.adapters.inspect import redqueen

    problems = {p.messages[-1]["content"]: p for p in (engine.make("household").generate(0, seed, "test") for seed in range(2))}
    begun = []

    def answer(messages, tools, choice, config):
        problem = next(problems[m.text] for m in messages if m.text in problems)
        spoken = sum(m.role == "assistant" for m in messages)
        begun.append([tool.name for tool in tools])
        if problem.seed == 1:
            out = ModelOutput.from_content("mockllm", "I wait.")
        elif calls_tools:
            call = [c for message in json.loads(problem.reference) for c in message["tool_calls"]][spoken]
            out = ModelOutput.for_tool_call("mockllm", call["name"], call["arguments"])
        else:
            out = ModelOutput.from_content("mockllm", turns_of(problem)[spoken])
        out.usage = ModelUsage(input_tokens=1, output_tokens=1, total_tokens=2)
        return out

    task = redqueen("household", levels=0, size=2, max_turns=12, url=where)
    log = inspect_ai.eval(task, model=get_model("mockllm/model", custom_outputs=answer), log_dir=str(tmp_path), display="none")[0]
    assert log.status == "success", log.error
    scores = [sample.scores["redqueen_scorer"].value for sample in log.samples]
    assert scores[0] == {"reward": 1.0, "solved": 1.0} and scores[1]["solved"] == 0.0 and scores[1]["reward"] < 1.0
    turns = [sum(message.role == "assistant" for message in sample.messages) for sample in log.samples]
    assert turns[0] == len(turns_of(next(iter(problems.values())))) > 1 and turns[1] == 12
    assert all({"go", "take"} <= set(tools) for tools in begun)
    assert ("tool" in {message.role for message in log.samples[0].messages}) is calls_tools


def test_worlds_are_no_single_answer(where):
    package("lm_eval")
    from redqueen.adapters.lm_eval import lm_eval_task

    with pytest.raises(ValueError, match="household is a world of several turns.*inspect"):
        lm_eval_task("household", size=2, url=where)

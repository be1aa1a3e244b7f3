"""lm-evaluation-harness: problems as a task, scored by the engine.

    lm_eval.simple_evaluate(model, tasks=[lm_eval_task("Sorting", levels=[0, 1], size=100)])
"""
from __future__ import annotations

from typing import Any, Sequence

from ._source import one_answer, source


def task_config(suite: str | Sequence[str], levels: Sequence[int] = (0,), size: int = 100, seed: int = 0, max_gen_toks: int = 2048,
                url: Any = None) -> dict:
    """The settings of the task: problems of the split that evaluation asks, and the metrics `reward` and `solved`."""
    where = source(url)
    name = suite if isinstance(suite, str) else ",".join(suite)

    def documents(**_: Any) -> dict:
        import datasets

        rows = where.dataset(suite, levels, size, split="test", seed=seed)
        one_answer(where, [row["address"] for row in rows], "lm-evaluation-harness asks once; redqueen.adapters.inspect.redqueen plays it")
        return {"test": datasets.Dataset.from_list(rows)}

    def process(doc: dict, results: Sequence[str]) -> dict:
        verdict = where.score_many([doc["address"]], [results[0]])[0]
        return {"reward": verdict.reward, "solved": float(verdict.solved)}

    return {"task": f"redqueen-{name}", "custom_dataset": documents, "test_split": "test", "output_type": "generate_until",
            "doc_to_text": "prompt", "doc_to_target": "address", "process_results": process,
            "generation_kwargs": {"until": [], "max_gen_toks": max_gen_toks, "do_sample": False},
            "metric_list": [{"metric": m, "aggregation": "mean", "higher_is_better": True} for m in ("reward", "solved")]}


def lm_eval_task(suite: str | Sequence[str], **settings: Any) -> Any:
    """A task that `lm_eval.simple_evaluate(tasks=[…])` and `evaluate(task_dict=…)` take."""
    from lm_eval.api.task import ConfigurableTask

    return ConfigurableTask(config=task_config(suite, **settings))

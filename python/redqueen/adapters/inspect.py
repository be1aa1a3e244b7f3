"""Inspect: problems as an evaluation, scored by the engine.

    # redqueen_eval.py
    from redqueen.adapters.inspect import redqueen          # inspect eval redqueen_eval.py -T suite=Sorting -T levels=0,3
"""
from __future__ import annotations

import asyncio
from typing import Any

from inspect_ai import Task, task
from inspect_ai.dataset import MemoryDataset, Sample
from inspect_ai.scorer import Score, Target, mean, scorer, stderr
from inspect_ai.solver import generate

from ._source import source


@scorer(metrics={"reward": [mean(), stderr()], "solved": [mean(), stderr()]})
def redqueen_scorer(url: Any = None):
    """Scores by the problem's address, which is the sample's target: the reward, and whether it is solved."""

    async def score(state: Any, target: Target) -> Score:
        verdict = (await asyncio.to_thread(source(url).score_many, [target.text], [state.output.completion]))[0]
        return Score(value={"reward": verdict.reward, "solved": float(verdict.solved)}, answer=state.output.completion[-200:],
                     metadata={"well_formed": verdict.well_formed})

    return score


@task
def redqueen(suite: str = "Sorting", levels: Any = 0, size: int = 100, seed: int = 0, url: str | None = None) -> Task:
    """`size` problems of the split that evaluation asks; `levels` is a number or several with commas between."""
    numbers = [int(level) for level in (str(levels).split(",") if not isinstance(levels, (list, tuple)) else levels)]
    rows = source(url).dataset(suite, numbers, size, split="test", seed=seed)
    samples = [Sample(input=row["prompt"], target=row["address"], id=row["address"],
                      metadata={"environment": row["environment"], "level": row["level"]}) for row in rows]
    return Task(dataset=MemoryDataset(samples, name=f"redqueen-{suite}"), solver=generate(), scorer=redqueen_scorer(url))

"""Typical user's code with the types that a checker must see; test_types.py checks it, and runs it."""

from __future__ import annotations

import asyncio
import os
import pathlib
import types
import typing
from collections.abc import Callable
from random import Random

import numpy as np
from numpy.typing import NDArray

import redqueen as rq

if typing.TYPE_CHECKING:
    from typing_extensions import assert_type
else:

    def assert_type(value, kind):
        """The value itself is of the type, as far as its class tells."""
        origin = typing.get_origin(kind) or kind
        while hasattr(origin, "__value__"):  # NumPy's NDArray is an alias with a name, from Python 3.12 on
            origin = typing.get_origin(origin.__value__) or origin.__value__
        kinds = typing.get_args(kind) if origin in (types.UnionType, typing.Union) else (origin,)
        assert typing.Any in kinds or isinstance(value, kinds), (value, kind)
        return value


Messages = list[dict[str, typing.Any]]


def one_problem() -> None:
    env = assert_type(rq.make("Sorting", prompt="boxed", tolerant=True), rq.Env)
    assert_type(env.describe(), dict[str, typing.Any])
    problem = assert_type(rq.make("Sorting").generate(level=3, seed=0, split="test"), rq.Problem)
    assert_type(rq.make("Sorting").generate(split=7).split, str | None)
    assert_type(problem.prompt, str)
    assert_type(problem.statement, str)
    assert_type(problem.reference, str)
    assert_type(problem.messages, Messages)
    assert_type(problem.tools, Messages)
    assert_type(problem.messages[0]["role"], typing.Any)
    assert_type(problem.max_turns, int)
    assert_type(problem.address, str | None)
    assert_type(problem.level, int | None)
    assert_type(problem.parameter, typing.Any)
    verdict = assert_type(problem.score(f"<answer>{problem.reference}</answer>"), rq.Verdict)
    assert_type(verdict.reward, float)
    assert_type(verdict.solved, bool)
    assert_type(verdict.info, dict[str, typing.Any])
    assert problem.address is not None
    assert_type(rq.restore(problem.address), rq.Problem)
    assert_type(rq.restore(environment="Sorting", parameter=problem.parameter), rq.Problem)
    assert_type(rq.list(), list[str])


def many() -> None:
    problems = assert_type(rq.generate_many("Sorting", levels=[0, 1], seeds=range(4)), list[rq.Problem])
    verdicts = assert_type(rq.score_many(problems, ["no"] * len(problems)), rq.Verdicts)
    assert_type(verdicts.rewards, NDArray[np.float64])
    assert_type(verdicts.solved, NDArray[np.bool_])
    assert_type([verdict.reward for verdict in verdicts], list[float])
    assert_type(verdicts[0], rq.Verdict)
    with_gaps = rq.generate_many(["Sorting", rq.make("Knapsack")], allow_missing=True)
    assert_type(with_gaps, list[rq.Problem | None])
    assert_type(rq.generate_many("Sorting", levels=np.int64(2), seeds=np.arange(3)), list[rq.Problem])
    assert_type(rq.dataset("Sorting", size=2, as_list=True), list[dict[str, typing.Any]])
    suite = assert_type(rq.load_suite(("Sorting", "Knapsack")), rq.Suite)
    assert_type(suite.environments, list[rq.Env])


def curriculum() -> None:
    moving = rq.Curriculum(["Sorting", "Knapsack"], seed=1, minimum_groups=4, accuracy_threshold=0.8)
    batch = assert_type(moving.next_batch(2), list[rq.Problem])
    assert_type(moving.update(batch, [True, False]), int)
    assert_type(moving.update(["Sorting@1/0/0/s1", batch[0]], [True, False]), int)
    assert_type(moving.update(batch, rq.score_many(batch, ["", ""]), end_step=False), int)
    assert_type(moving.levels(), dict[str, tuple[int, int]])
    moving.load(assert_type(moving.state(), dict[str, typing.Any]))


def turns() -> None:
    episode = assert_type(rq.make("household").generate(level=0, seed=1).start(), rq.Episode)
    assert_type(episode.observation, Messages)
    observation, reward, terminated, truncated, info = episode.step("I look around.")
    assert_type(observation, Messages)
    assert_type(reward, float)
    assert_type(terminated, bool)
    assert_type(truncated, bool)
    assert_type(info, dict[str, typing.Any])
    assert_type(episode.verdict(), rq.Verdict)
    assert_type(rq.resume(episode.record()).turns, int)
    rq.make("household").generate().start().step({"content": "", "tool_calls": []})


class Sums(rq.Environment):
    max_level = 5

    def generate(self, level: int, rng: Random) -> dict[str, int]:
        return {"a": rng.randrange(10 ** (level + 1)), "b": rng.randrange(10)}

    def prompt(self, parameter: dict[str, int]) -> str:
        return f"What is {parameter['a']} + {parameter['b']}?"

    def score(self, parameter: dict[str, int], answer: str) -> bool:
        return answer == str(parameter["a"] + parameter["b"])


def own() -> None:
    sums = assert_type(rq.register(Sums()), Sums)
    assert_type(sums.env(), rq.Env)
    assert_type(rq.make(sums).generate().prompt, str)

    @rq.environment(max_level=8, score=lambda answer, right: 0.5)
    def product(level: int, rng: Random) -> tuple[str, int]:
        return "What is 2 times 3?", 6

    assert_type(product(0, Random(1)), typing.Any)
    assert_type(product.env(), rq.Env)

    @rq.environment
    class Differences(Sums):
        name = "differences"

    assert_type(Differences(), Differences)
    assert_type(rq.forget("Sums") and rq.forget("product") and rq.forget("differences"), bool)


def sandbox() -> None:
    with rq.Sandbox(workers=1, require="standard") as box:
        outcome = assert_type(box.run("print(1)", limits={"wall_seconds": 5}, profile="pure"), rq.Outcome)
        assert_type(outcome.stdout, str)
        assert_type(outcome.result, typing.Any)
        assert_type(outcome.files, dict[str, bytes])
        assert_type(box.run_many(["print(1)", "print(2)"]), list[rq.Outcome])
        box.run_many([{"source": "x = 1", "calls": ["x", "x + 1"]}])
        assert_type(box.map("def f(x): return x", "f", range(3), hash_seed=1), list[typing.Any])
        assert_type(box.layers(), list[tuple[str, str]])


async def later() -> None:
    problems = assert_type(await rq.aio.generate_many("Sorting", levels=1, seeds=range(2)), list[rq.Problem])
    first = asyncio.create_task(problems[0].ascore("<answer>1</answer>"))
    assert_type(await first, rq.Verdict)
    assert_type(await rq.aio.score_many(problems, ["", ""]), rq.Verdicts)
    assert_type(await rq.aio.dataset("Sorting", size=2, as_list=True), list[dict[str, typing.Any]])
    moving = rq.Curriculum("Sorting")
    batch = assert_type(await rq.aio.next_batch(moving, 2), list[rq.Problem])
    assert_type(await rq.aio.update(moving, batch, [True, False]), int)
    episode = problems[0].start()
    observation, reward, *_ = await episode.astep("no idea")
    assert_type(observation, Messages)
    assert_type(reward, float)


def reward_function(completions: list[str], address: list[str], **columns: typing.Any) -> list[float]:
    rewards: list[float] = rq.score_many(address, completions).rewards.tolist()
    return rewards


def suites_may_be(any_of: str | rq.Env | rq.Suite | rq.Environment | os.PathLike[str]) -> rq.Suite:
    return rq.load_suite(any_of)


def errors() -> None:
    try:
        rq.make("Sortin")
    except rq.UsageError as error:
        assert isinstance(error, ValueError) and isinstance(error, rq.Error)


def main() -> None:
    for part in (one_problem, many, curriculum, turns, own, sandbox, errors):
        check: Callable[[], None] = part
        check()
    asyncio.run(later())
    assert reward_function(["no"], ["Sorting@1/0/5/s1"]) == [-1.0]
    suites_may_be("held-out")
    suites_may_be(pathlib.Path(__file__).resolve().parents[2] / "configs/evoenv/seeds/fibonacci.py")


if __name__ == "__main__":
    main()

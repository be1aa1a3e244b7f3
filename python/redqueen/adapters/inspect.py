"""Inspect: problems and worlds as an evaluation, scored by the engine.

    # redqueen_eval.py                                      # inspect eval redqueen_eval.py -T suite=Sorting
    from inspect_ai import task                             # (Inspect looks for tasks in the file itself)
    from redqueen.adapters.inspect import redqueen

    @task
    def problems(suite="Sorting"):
        return redqueen(suite)
"""
from __future__ import annotations

import asyncio
from typing import Any

from inspect_ai import Task, task
from inspect_ai.dataset import MemoryDataset, Sample
from inspect_ai.model import ChatMessage, ChatMessageSystem, ChatMessageTool, ChatMessageUser
from inspect_ai.scorer import Score, Target, mean, scorer, stderr
from inspect_ai.solver import Generate, TaskState, solver
from inspect_ai.tool import ToolDef, ToolParams

from ._source import one_answer, source
from ._turns import Game

_VERDICT = "redqueen"  # where an episode's verdict lies in a sample's store


@solver
def play(url: Any = None, max_turns: int = 64):
    """Asks once, or plays a world turn by turn with its tools; the problem is the sample's target.

    Args:
        max_turns: of the model in a world; what it leaves unsaid counts as silence.
    """

    async def solve(state: TaskState, generate: Generate) -> TaskState:
        where, address = source(url), state.target.text
        if await asyncio.to_thread(where.turns, address) == 1:
            return await generate(state)
        game = await asyncio.to_thread(lambda: Game(where.restore(address).start()))
        state.messages = _answers(game.messages, [])
        state.tools = [_tool(tool["function"]) for tool in game.tools or []]
        for _ in range(max_turns):
            state = await generate(state, tool_calls="none")
            said = state.output.message
            calls = said.tool_calls or []
            turn = {"text": said.text, "tool_calls": [{"name": call.function, "arguments": call.arguments} for call in calls]}
            answer = await asyncio.to_thread(game.say, turn if calls else said.text)
            if game.done:
                break
            state.messages += _answers(answer, calls)
        verdict = await asyncio.to_thread(game.verdict)
        state.store.set(_VERDICT, {"reward": verdict.reward, "solved": verdict.solved, "well_formed": verdict.well_formed})
        return state

    return solve


def _tool(tool: dict) -> Any:
    """A tool as the model is told of it; the episode answers its calls, so nothing is behind it."""

    async def answered() -> str:
        raise NotImplementedError

    parameters = ToolParams.model_validate(tool.get("parameters") or {})
    for name, parameter in parameters.properties.items():
        parameter.description = parameter.description or name  # Inspect wants one of each
    return ToolDef(answered, name=tool["name"], description=tool["description"], parameters=parameters).as_tool()


def _answers(messages: list[dict], calls: list) -> list[ChatMessage]:
    """Messages of an episode; those that answer calls, one after another, carry their names. Every call has an answer."""
    waiting, made = [*calls], []
    for message in messages:
        role, text = message["role"], message["content"]
        if waiting:
            call = waiting.pop(0)
            made.append(ChatMessageTool(content=text, tool_call_id=call.id, function=call.function))
        elif role == "system":
            made.append(ChatMessageSystem(content=text))
        else:
            made.append(ChatMessageUser(content=text))
    return made + [ChatMessageTool(content="", tool_call_id=call.id, function=call.function) for call in waiting]


@scorer(metrics={"reward": [mean(), stderr()], "solved": [mean(), stderr()]})
def redqueen_scorer(url: Any = None):
    """Scores by the problem's address, which is the sample's target: the reward, and whether it is solved. A world's score is
    that of the episode which `play` played."""

    async def score(state: Any, target: Target) -> Score:
        verdict = state.store.get(_VERDICT)
        if verdict is None:
            await asyncio.to_thread(one_answer, source(url), [target.text], "let redqueen.adapters.inspect.play be the task's solver")
            scored = (await asyncio.to_thread(source(url).score_many, [target.text], [state.output.completion]))[0]
            verdict = {"reward": scored.reward, "solved": scored.solved, "well_formed": scored.well_formed}
        return Score(value={"reward": verdict["reward"], "solved": float(verdict["solved"])}, answer=state.output.completion[-200:],
                     metadata={"well_formed": verdict["well_formed"]})

    return score


@task
def redqueen(suite: str = "Sorting", levels: Any = 0, size: int = 100, seed: int = 0, max_turns: int = 64,
             url: str | None = None) -> Task:
    """`size` problems of the split that evaluation asks; `levels` is a number or several with commas between.

    Args:
        max_turns: of the model in a world, an environment of several turns.
    """
    numbers = [int(level) for level in (str(levels).split(",") if not isinstance(levels, (list, tuple)) else levels)]
    rows = source(url).dataset(suite, numbers, size, split="test", seed=seed)
    samples = [Sample(input=row["prompt"], target=row["address"], id=row["address"],
                      metadata={"environment": row["environment"], "level": row["level"]}) for row in rows]
    return Task(dataset=MemoryDataset(samples, name=f"redqueen-{suite}"), solver=play(url, max_turns), scorer=redqueen_scorer(url))

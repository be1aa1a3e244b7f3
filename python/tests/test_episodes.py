"""Episodes: problems that answer back."""

import asyncio
import json

import pytest

import redqueen as rq

def worlds():
    return [name for name in rq.list() if rq.describe(name)["family"] == "worlds"]


def test_a_single_turn_is_an_episode():
    problem = rq.make("Sorting").generate(level=2, seed=1)
    episode = problem.start()
    assert episode.observation == [{"role": "user", "content": problem.prompt}] == problem.messages
    assert episode.tools == [] == problem.tools and not episode.done and problem.max_turns == 1
    assert not episode.verdict().well_formed
    observation, reward, terminated, truncated, info = episode.step(f"<answer>{problem.reference}</answer>")
    assert (observation, reward, terminated, truncated, info) == ([], 1.0, True, False, {})
    assert episode.verdict().solved and episode.done and episode.turns == 1
    with pytest.raises(rq.UsageError, match="ended"):
        episode.step("more")


def test_worlds_are_solved_by_their_references():
    assert worlds()
    for name in worlds():
        problem = rq.make(name).generate(level=1, seed=2)
        assert problem.max_turns > 1 and problem.tools
        turns = json.loads(problem.reference)
        total = 0.0
        episode = problem.start()
        for turn in turns:
            _, reward, terminated, truncated, _ = episode.step(turn)
            total += reward
        assert terminated and not truncated
        assert episode.verdict().solved and abs(total - episode.verdict().reward) < 1e-9
        assert problem.score(problem.reference, raw=True).solved


def test_calls_are_read_from_text_and_from_messages_alike():
    for name in worlds():
        problem = rq.make(name).generate(level=0, seed=5)
        call = json.loads(problem.reference)[0]["tool_calls"][0]
        written = json.dumps({"name": call["name"], "arguments": call["arguments"]})
        forms = [
            f"<tool_call>{written}</tool_call>",
            {"role": "assistant", "content": None, "tool_calls": [{"name": call["name"], "arguments": call["arguments"]}]},
            {
                "role": "assistant",
                "content": "",
                "tool_calls": [
                    {"id": "call_0", "type": "function", "function": {"name": call["name"], "arguments": json.dumps(call["arguments"])}}
                ],
            },
        ]
        answers = []
        for form in forms:
            observation, *rest = problem.start().step(form)
            answers.append(([message["content"] for message in observation], rest))
        assert answers[0] == answers[1] == answers[2], name


def test_a_record_brings_an_episode_back():
    problem = rq.make(worlds()[0]).generate(level=1, seed=2)
    turns = json.loads(problem.reference)
    episode = problem.start()
    episode.step(turns[0])
    record = json.loads(json.dumps(episode.record()))
    again = rq.resume(record)
    assert again.turns == 1 and again.observation == episode.observation
    for turn in turns[1:]:
        episode.step(turn)
        again.step(turn)
    assert again.verdict() == episode.verdict() and again.state() == episode.state()
    unplaced = rq.restore(environment=problem.environment, parameter=problem.parameter).start()
    with pytest.raises(rq.UsageError, match="address"):
        unplaced.record()


def test_nonsense_is_answered_and_not_obeyed():
    problem = rq.make(worlds()[0]).generate(level=0, seed=0)
    for action in ("", "no call", "\ud800", {"text": "x", "tool_calls": [{"name": "no_tool", "arguments": 3}]}):
        episode = problem.start()
        episode.step(action)
        assert episode.turns == 1
    for action in (3, {"tool_calls": "x"}, {"text": 5}, [1]):
        with pytest.raises(rq.UsageError):
            problem.start().step(action)


def test_async_steps():
    async def main():
        problem = rq.make("Sorting").generate(seed=4)
        return await problem.start().astep(f"<answer>{problem.reference}</answer>")

    assert asyncio.run(main())[1:4] == (1.0, True, False)

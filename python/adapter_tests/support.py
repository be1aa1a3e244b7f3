"""What these tests share: where things are, which packages must be there, and answers that are right."""
import json
import os
import pathlib
import sys

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]


def package(name: str):
    """A trainer's package. `REDQUEEN_TRAINERS` names those that must be there; without it a test of an absent one is skipped."""
    if name in os.environ.get("REDQUEEN_TRAINERS", "").split(","):
        __import__(name)
        return sys.modules[name]
    return pytest.importorskip(name)


def sorted_answer(prompt: str) -> str:
    """The answer to a prompt of Sorting."""
    return " ".join(sorted(prompt.splitlines()[1].split(), key=int))


def marked(prompt: str) -> str:
    return f"I think so.\n<answer>{sorted_answer(prompt)}</answer>"


def turns_of(problem) -> list[str]:
    """What a policy says, turn by turn, that solves a problem of `household`: its reference, which only the engine tells."""
    calls = [call for message in json.loads(problem.reference) for call in message["tool_calls"]]
    return [" ".join([{"go": "go to"}.get(call["name"], call["name"]), *call["arguments"].values()]) for call in calls]

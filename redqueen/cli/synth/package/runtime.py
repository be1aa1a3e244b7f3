"""Makes and scores problems of the environments of this package, without RedQueen.

The environments were written by a language model. Their code runs in a process of its own, with limits on memory and on the time
of a call; that is no sandbox: it keeps accidents away from a trainer, not attacks.
"""
from __future__ import annotations

import json
import pathlib
import re
import subprocess
import sys
import threading
from typing import Any

HERE = pathlib.Path(__file__).parent
SECONDS = 20  # of one call
MEMORY = 2 << 30
INSTRUCTION = "\n\nEnd your response with the final answer alone between <answer> and </answer>."


def environments() -> list[str]:
    return sorted(path.stem for path in (HERE / "environments").glob("*.py"))


def problems() -> list[dict[str, Any]]:
    """Stored problems: environment, level, seed, prompt, answer."""
    with open(HERE / "problems.jsonl", encoding="utf-8") as lines:
        return [json.loads(line) for line in lines if line.strip()]


def marked_answer(response: str) -> str | None:
    """What stands between the last answer marks of a response; None: nothing does."""
    found = re.findall(r"<answer>(.*?)</answer>", response, re.S)
    return found[-1].strip() if found else None


def new_problem(environment: str, level: int, seed: int) -> str:
    """The prompt of a problem; equal arguments give equal problems."""
    return _worker.call({"environment": environment, "level": level, "seed": seed})["prompt"]


def score(environment: str, level: int, seed: int, answer: str) -> float:
    """The score of an answer, from -1 to 1. An answer that is not of the asked form, or breaks the code, has -1."""
    return _worker.call({"environment": environment, "level": level, "seed": seed, "answer": answer}).get("score", -1.0)


class _Worker:
    """A process that runs the environments' code; another one is started after a call that took too long."""

    def __init__(self):
        self._process, self._lock = None, threading.Lock()

    def call(self, request):
        with self._lock:
            if self._process is None or self._process.poll() is not None:
                self._process = subprocess.Popen([sys.executable, "-I", __file__], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                                 text=True, encoding="utf-8")
            process = self._process
            timer = threading.Timer(SECONDS, process.kill)
            timer.start()
            try:
                process.stdin.write(json.dumps(request) + "\n")
                process.stdin.flush()
                line = process.stdout.readline()
            except OSError:
                line = ""
            finally:
                timer.cancel()
            if line.endswith("\n"):
                return json.loads(line)
            process.kill()
            process.wait()
            self._process = None
            return {"fault": "the process ended"}


_worker = _Worker()


def _load(environment):
    base = {"__name__": "base"}
    exec(compile((HERE / "base.py").read_text(encoding="utf-8"), "base.py", "exec"), base)
    space = {key: value for key, value in base.items() if not key.startswith("_")}
    space["__name__"] = "environment"
    file = HERE / "environments" / f"{environment}.py"
    exec(compile(file.read_text(encoding="utf-8"), str(file), "exec"), space)
    parent = base["VerifiableEnvironment"]
    classes = [item for item in space.values() if isinstance(item, type) and issubclass(item, parent) and item is not parent]
    return [item for item in classes if not any(issubclass(other, item) and other is not item for other in classes)][-1]


def _serve():
    try:
        import resource
        resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    except (ImportError, ValueError, OSError):
        pass  # a system without such limits
    answers, sys.stdout = sys.stdout, sys.stderr  # nothing that an environment prints is taken for an answer
    loaded = {}
    for line in sys.stdin:
        request, reply = json.loads(line), {}
        try:
            name = request["environment"]
            if name not in environments():
                raise ValueError(f"there is no environment {name}")
            if name not in loaded:
                loaded[name] = _load(name)
            problem = loaded[name]()
            problem._generate(request["seed"], request["level"])
            reply["prompt"] = problem._prompt_generate()
            if "answer" in request:
                parsed = problem._process(request["answer"])
                value = float(problem.scorer(parsed)) if parsed is not None else -1.0
                reply["score"] = min(1.0, max(-1.0, value)) if value == value else -1.0
        except Exception as error:  # whatever an environment raises
            reply["fault"] = f"{type(error).__name__}: {error}"
        answers.write(json.dumps(reply) + "\n")
        answers.flush()


if __name__ == "__main__":
    _serve()

"""The sandbox, and environments whose code runs in it."""

import asyncio
import os
import pathlib
import typing

import pytest

import redqueen as rq
from redqueen import _native
from redqueen._types import Limits

ROOT = pathlib.Path(__file__).resolve().parents[2]


@pytest.fixture(scope="module")
def sandbox():
    with rq.Sandbox(workers=2) as made:
        yield made


def test_types_have_every_limit():
    kinds = {name: kind.__name__ for name, kind in typing.get_type_hints(Limits).items()}
    assert kinds == _native.sandbox_limits()


def test_programs_and_calls(sandbox):
    outcome = sandbox.run("print(input())\nprint('x', file=__import__('sys').stderr)", stdin="in", profile="program")
    assert outcome.ok and outcome.stdout == "in\n" and outcome.stderr == "x\n" and outcome.exit_code == 0
    call = sandbox.run("def f(x):\n    return {'n': [x, None, 2.5]}", call="f(10**30)")
    assert call.result == {"n": [10**30, None, 2.5]} and call.value.startswith("{'n'")
    assert sandbox.run("x = {1, 2}", call="x").result is None
    failed = sandbox.run("def f():\n    return 1 / 0", call="f()")
    assert (failed.status, failed.exception, failed.line) == ("error", "ZeroDivisionError", 2)
    assert sandbox.run("open('/etc/passwd')").status != "ok"
    assert sandbox.run("while True: pass", limits={"wall_seconds": 0.2}).status == "timeout"
    assert [state for _, state in sandbox.layers()] and sandbox.workers == 2


def test_files(sandbox):
    outcome = sandbox.run(
        "open('out.txt', 'w').write(open('in.txt').read() * 2)", profile="program", files={"in.txt": "ab"}, fetch=["out.txt"]
    )
    assert outcome.files == {"out.txt": b"abab"}


def test_many_at_once(sandbox):
    outcomes = sandbox.run_many(["print(1)", {"source": "x = 2", "calls": ["x", "x + 1", "y"]}, {"source": "1 / 0"}])
    assert outcomes[0].stdout == "1\n"
    assert [each.result for each in outcomes[1]] == [2, 3, None] and outcomes[1][2].exception == "NameError"
    assert outcomes[2].exception == "ZeroDivisionError"
    assert sandbox.map("def add(a, b=1): return a + b", "add", [1, (2, 3), "x"][:2]) == [2, 5]
    numbers = [10**20 + i for i in range(50)]
    assert sandbox.map("def f(x): return x - 10**20", "f", numbers) == list(range(50))
    assert sandbox.map("def f(x): return x", "f", []) == []
    with pytest.raises(rq.Error, match="item 1: error"):
        sandbox.map("def f(x): return 1 // x", "f", [1, 0])


def test_asyncio_goes_on_while_programs_run(sandbox):
    turns = []

    async def other():
        while True:
            turns.append(len(turns))
            await asyncio.sleep(0.01)

    async def main():
        beside = asyncio.create_task(other())
        stuck = asyncio.create_task(rq.aio.run(sandbox, "while True: pass", limits={"wall_seconds": 0.5}))
        many = await rq.aio.run_many(sandbox, ["print(1)", {"source": "x = 2", "calls": ["x", "x + 1"]}])
        squares = await rq.aio.map(sandbox, "def f(x): return x * x", "f", [1, 2, 3])
        with pytest.raises(rq.Error, match="item 0"):
            await rq.aio.map(sandbox, "def f(x): return 1 // x", "f", [0])
        outcome = await stuck
        beside.cancel()
        return many, squares, outcome

    many, squares, outcome = asyncio.run(main())
    assert many[0].stdout == "1\n" and [each.result for each in many[1]] == [2, 3]
    assert squares == [1, 4, 9] and outcome.status == "timeout" and len(turns) > 3


def test_wrong_requests(sandbox):
    for request in ({"call": 3}, {"profile": "none"}, {"limits": {"wall": 1}}, {"calls": ["1"]}, {"speed": 2}):
        with pytest.raises(rq.UsageError):
            sandbox.run("1", **request)
    with pytest.raises(rq.UsageError):
        rq.Sandbox(workers=0)
    with pytest.raises(rq.UsageError, match="strict"):
        rq.Sandbox(require="none")


def test_closing():
    sandbox = rq.Sandbox(workers=1)
    sandbox.close()
    sandbox.close()
    with pytest.raises(rq.UsageError, match="closed"):
        sandbox.run("1")


def test_a_forked_process_leaves_the_workers_alone(sandbox):
    child = os.fork()
    if child == 0:
        code = 1
        try:
            sandbox.run("1")
        except rq.UsageError as error:
            code = 0 if "another process" in str(error) else 2
        finally:
            os._exit(code)
    assert os.waitpid(child, 0)[1] == 0
    assert sandbox.run("print(2)").stdout == "2\n"


def test_an_environment_in_a_file_runs_contained(tmp_path):
    env = rq.make(ROOT / "configs/evoenv/seeds/sorting.py")
    problems = rq.generate_many(env, levels=[0, 1], seeds=range(3))
    verdicts = rq.score_many(problems, [f"<answer>{problem.reference}</answer>" for problem in problems])
    assert verdicts.solved.all()
    assert not problems[0].score("<answer>x</answer>").well_formed
    curriculum = rq.Curriculum([env, "Sorting"])
    assert len(curriculum.next_batch(4)) == 4
    escape = (ROOT / "configs/evoenv/seeds/sorting.py").read_text()
    reached = tmp_path / "reached"
    escape = escape.replace("def _generate(self, seed, difficulty):", f"def _generate(self, seed, difficulty):\n        open({str(reached)!r}, 'w')")
    (tmp_path / "escape.py").write_text(escape)
    with pytest.raises(rq.Error):
        rq.make(tmp_path / "escape.py").generate()
    assert not reached.exists()


def test_tasks_about_programs():
    problem = rq.make("azr/deduction").generate(level=0, seed=1)
    assert problem.score(f"<answer>{problem.reference}</answer>").solved


def test_a_data_set_is_an_environment(tmp_path):
    (tmp_path / "sums.jsonl").write_text("".join(f'{{"prompt": "{i} + {i}?", "answer": {2 * i}}}\n' for i in range(5)))
    env = rq.make(tmp_path / "sums.jsonl")
    problem = env.generate(seed=1)
    assert problem.score(f"<answer>{problem.reference}</answer>").solved
    assert rq.score_many([problem], [f"<answer>{problem.reference}</answer>"]).solved.all()

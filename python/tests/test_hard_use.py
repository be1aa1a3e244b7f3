"""What users do besides the documented: lists that change under a batch, Ctrl-C, closing, pickles, odd texts."""

import asyncio
import copy
import multiprocessing
import os
import pathlib
import pickle
import signal
import subprocess
import sys
import threading
import time

import numpy
import pytest

import redqueen as rq

ROOT = pathlib.Path(__file__).resolve().parents[2]
BUSY = "while True: pass"
LONG = {"wall_seconds": 60, "cpu_seconds": 60}


def in_a_process(source):
    """Runs a program that might take the process with it."""
    done = subprocess.run([sys.executable, "-B", "-c", source], capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stderr[-2000:]
    return done.stdout


def test_lists_may_change_while_a_batch_is_scored():
    in_a_process(
        """
import threading, time
import redqueen as rq
base = rq.generate_many("Sorting", levels=60, seeds=range(100))
for _ in range(5):
    problems = [problem for problem in base for _ in range(100)]
    texts = ["<answer>" + f"{i} 1 2 3 " * 40 + "</answer>" for i in range(len(problems))]
    found = []
    thread = threading.Thread(target=lambda: found.append(rq.score_many(problems, texts)))
    thread.start()
    time.sleep(0.003)
    texts.clear()
    problems.clear()
    other = ["z" * 700 for _ in range(20000)]
    thread.join()
    assert len(found) == 1 and found[0].well_formed.all() or len(found[0]) == 0
"""
    )


def after(seconds, work):
    threading.Timer(seconds, work).start()


def interrupt_after(seconds):
    after(seconds, lambda: os.kill(os.getpid(), signal.SIGINT))


def test_ctrl_c_ends_a_long_batch():
    problems = rq.generate_many("Sorting", levels=100, seeds=range(32)) * 10_000
    texts = ["<answer>" + "1 2 3 " * 300 + "</answer>"] * len(problems)  # some seconds of work
    for work in (lambda: rq.score_many(problems, texts), lambda: rq.generate_many("all", levels=5, seeds=range(3000), allow_missing=True)):
        begun = time.monotonic()
        interrupt_after(0.3)
        with pytest.raises(KeyboardInterrupt):
            work()
        assert time.monotonic() - begun < 15  # the whole takes a minute and more


def test_pieces_are_the_whole():
    problems = rq.generate_many(["Sorting", "Knapsack"], levels=[0, 3], seeds=range(1500))
    assert len({problem.address for problem in problems}) == 6000
    texts = [f"<answer>{problem.reference if i % 3 else i}</answer>" for i, problem in enumerate(problems)]
    verdicts = rq.score_many(problems, texts)
    assert list(verdicts) == [problem.score(text) for problem, text in zip(problems, texts)]


def test_ctrl_c_ends_programs_and_the_sandbox_goes_on():
    with rq.Sandbox(workers=2, require="standard") as sandbox:
        begun = time.monotonic()
        interrupt_after(0.3)
        with pytest.raises(KeyboardInterrupt):
            sandbox.map(f"def f(x):\n    {BUSY}", "f", range(12), limits=LONG)
        assert sandbox.run("print(1)").stdout == "1\n"
        assert time.monotonic() - begun < 10


def test_closing_ends_what_others_run():
    for delay in (0.0, 0.02, 0.3):
        sandbox = rq.Sandbox(workers=2, require="standard")
        found = []
        thread = threading.Thread(target=lambda: found.append(sandbox.run_many([{"source": BUSY, "limits": LONG}] * 5)))
        thread.start()
        time.sleep(delay)
        sandbox.close()
        thread.join(20)
        assert not thread.is_alive()
        assert not found or [outcome.status for outcome in found[0]] == ["crashed"] * 5


def test_a_task_that_is_cancelled_calls_its_program_off():
    async def main(sandbox):
        for work in (
            lambda: rq.aio.run(sandbox, BUSY, limits=LONG),
            lambda: rq.aio.run_many(sandbox, [{"source": BUSY, "limits": LONG}] * 3),
            lambda: rq.aio.map(sandbox, f"def f(x):\n    {BUSY}", "f", [1, 2, 3], limits=LONG),
        ):
            with pytest.raises(asyncio.TimeoutError):
                await asyncio.wait_for(work(), 0.3)
            assert (await rq.aio.run(sandbox, "print(1)")).stdout == "1\n"

    begun = time.monotonic()
    with rq.Sandbox(workers=1, require="standard") as sandbox:
        asyncio.run(main(sandbox))
    assert time.monotonic() - begun < 20


def score_there(problem):
    return problem.score(f"<answer>{problem.reference}</answer>"), problem.address, problem.prompt


@pytest.mark.parametrize("method", ["fork", "spawn"])
def test_problems_travel_to_other_processes(method):
    problems = [
        rq.make("Sorting").generate(level=2, seed=5, split="test"),
        rq.make("Sorting", prompt="boxed", tolerant=True).generate(split=7),
        rq.make("Knapsack", prompt="Now: {problem}").generate(seed=3),
        rq.make(ROOT / "configs/evoenv/seeds/fibonacci.py").generate(level=1, seed=2),
        rq.restore(environment="Sorting", parameter=rq.make("Sorting").generate().parameter),
    ]
    with multiprocessing.get_context(method).Pool(1) as pool:
        assert pool.map(score_there, problems) == [score_there(problem) for problem in problems]
    rq.forget("evo/fibonacci-b78315")


def again(value):
    assert copy.deepcopy(value) is not None
    return pickle.loads(pickle.dumps(value))


def test_values_pickle():
    problem = rq.make("Sorting").generate(seed=3)
    verdict = problem.score("<answer>1</answer>")
    assert again(verdict) == verdict and len({verdict, again(verdict)}) == 1
    verdicts = rq.score_many([problem] * 3, [problem.reference, "<answer>1</answer>", f"<answer>{problem.reference}</answer>"])
    assert list(again(verdicts)) == list(verdicts) and repr(verdicts) == "<Verdicts on 3 responses, 1 solved>"
    suite = rq.load_suite(["Sorting", "held-out"])
    assert (repr(again(suite)), again(suite).weights) == (repr(suite), suite.weights)
    assert again(rq.make("Sorting", prompt="boxed")).generate().prompt == rq.make("Sorting", prompt="boxed").generate().prompt
    episode = rq.make("household").generate(seed=1).start()
    episode.step("Hm.")
    assert again(episode).record() == episode.record()
    with rq.Sandbox(workers=1, require="standard") as sandbox:
        source = "open('a.bin', 'wb').write(bytes([0, 255])); print('é')"
        outcome = sandbox.run(source, profile="program", fetch=["a.bin"])
        failed = sandbox.run("def f(x): return 1 / x", call="f(0)")
    for each in (outcome, failed):
        assert {name: getattr(again(each), name) for name in dir(each) if name[0] != "_"} == {
            name: getattr(each, name) for name in dir(each) if name[0] != "_"}
    assert again(outcome).files == {"a.bin": b"\0\xff"} and again(failed).line == 1
    with pytest.raises(rq.UsageError, match="known once it is registered"):
        again(Unknown().env().generate())


class Unknown(rq.Environment):
    def generate(self, level, rng):
        return 1

    def prompt(self, parameter):
        return "?"

    def score(self, parameter, answer):
        return True


def test_verdicts_are_a_sequence():
    problem = rq.make("Sorting").generate()
    verdicts = rq.score_many([problem] * 7, [f"<answer>{problem.reference if i % 2 else i}</answer>" for i in range(7)])
    every = list(verdicts)
    for places in (slice(None), slice(2, 5), slice(-3, None), slice(None, None, -2), slice(5, 1), slice(1, 100, 3)):
        assert list(verdicts[places]) == every[places]
        assert verdicts[places].solved.tolist() == [verdict.solved for verdict in every[places]]
    assert verdicts[-1] == every[6] and every[1] in verdicts
    there = rq.remote.Verdicts(every)
    assert there[2:4].rewards.tolist() == verdicts[2:4].rewards.tolist() and there[1] == every[1]


def test_whole_numbers_of_numpy_are_numbers():
    class Numbers(Unknown):
        def generate(self, level, rng):
            return {"n": numpy.int64(7), "row": [numpy.uint8(3)]}

    assert Numbers().env().generate().parameter == {"n": 7, "row": [3]}
    with rq.Sandbox(workers=1, require="standard") as sandbox:
        assert sandbox.map("def f(x): return x + 1", "f", numpy.arange(3)) == [1, 2, 3]


def test_a_curriculum_pickles_as_it_stands():
    curriculum = rq.Curriculum(["Sorting", "held-out"], "learnability", seed=3, prompt="boxed", width=2)
    for _ in range(3):
        batch = curriculum.next_batch(16)
        curriculum.update(batch, [i % 2 == 0 for i in range(16)])
    other = again(curriculum)
    assert [problem.prompt for problem in other.next_batch(32)] == [problem.prompt for problem in curriculum.next_batch(32)]
    assert other.state() == curriculum.state() and "learnability" in repr(other)


@pytest.mark.parametrize("work", [rq.load_suite, rq.make, rq.dataset, rq.Curriculum, rq.generate_many])
def test_a_suite_of_nothing_is_refused(work):
    for nothing in (",", ",,", []):
        with pytest.raises(rq.UsageError, match="no environment|at least one environment"):
            work(nothing)


def test_messages_repeat_any_text():
    for text in ("\0", "a\0b", "\ud800", "Sorting@1/0/\ud800", "a" * 100_000, "/\0"):
        for work in (rq.restore, rq.make, rq.load_suite, lambda text: rq.score_many([text], ["x"]), lambda text: rq.generate_many(text)):
            with pytest.raises(rq.UsageError) as raised:
                work(text)
            assert len(str(raised.value)) > 20
    with pytest.raises(rq.UsageError, match="not a problem's address; expected"):
        rq.restore("a\0b")
    with pytest.raises(rq.UsageError):
        rq.restore("Sorting@1/0/0/s1\0")
    with pytest.raises(rq.UsageError, match="too many digits"):
        rq.make("Sorting").restore({"N": 10**5000})
    with pytest.raises(rq.UsageError, match="levels 0 to"):
        rq.generate_many("Sorting", levels=10**6)
    assert rq.generate_many("Sorting", levels=10**6, allow_missing=True) == [None]


def test_other_interpreters_of_a_process_are_refused():
    try:
        import _interpreters as interpreters  # 3.13 on
    except ImportError:
        import _xxsubinterpreters as interpreters
    other = interpreters.create()
    try:
        failed = None
        try:
            failed = interpreters.run_string(other, f"import sys; sys.path[:] = {sys.path!r}; import redqueen")
        except Exception as error:
            failed = error
        assert failed is not None and "interpreter" in str(getattr(failed, "msg", failed))
    finally:
        interpreters.destroy(other)
    assert rq.make("Sorting").generate().score("").reward == -1
    assert Unknown().env().generate().score("<answer>1</answer>").solved


class Loose(rq.Environment):
    """Its methods change what they are given."""

    def generate(self, level, rng):
        return {"pair": (3, 1)}

    def prompt(self, parameter):
        parameter["pair"].sort()
        return f"Sort {parameter['pair']!r}."

    def score(self, parameter, answer):
        right = parameter["pair"].pop(0) == 3
        return right and answer == repr(parameter["pair"])

    def reference(self, parameter):
        return repr(parameter["pair"][1:])


def test_an_own_problem_stays_what_it_is():
    problem = Loose().env().generate()
    assert problem.statement == "Sort [1, 3]." and problem.parameter == {"pair": [3, 1]}
    assert [problem.score(f"<answer>{problem.reference}</answer>").solved for _ in range(3)] == [True] * 3
    assert problem.parameter == {"pair": [3, 1]}
    restored = Loose().env().restore(problem.parameter)
    assert (restored.prompt, restored.reference) == (problem.prompt, problem.reference)


def test_settings_of_own_environments_are_checked():
    for passing in (float("nan"), 5, -2, None, "1"):
        with pytest.raises(rq.UsageError, match="passing"):
            type("Own", (Unknown,), {"passing": passing})().env()
    with pytest.raises(rq.UsageError, match="function or a class"):
        rq.environment("x")


def test_an_own_environment_cannot_be_called_like_a_suite():
    with pytest.raises(rq.UsageError, match='there is a suite named "held-out"'):
        rq.environment(lambda level, rng: ("?", "1"), name="held-out")
    assert len(rq.load_suite("held-out").environments) > 1

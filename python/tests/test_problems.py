"""Environments, problems, verdicts, batches: held against the engine's own command line where there is one."""

import asyncio
import builtins
import ctypes
import inspect
import json
import os
import random
import sys
import threading
import time

import numpy
import pytest

import redqueen as rq


def answer(problem):
    return f"So it is <answer>{problem.reference}</answer>."


def test_every_environment_makes_a_problem_that_its_reference_solves():
    skipped = {name for name in rq.list() if rq.describe(name)["family"] == "code"}  # these start a sandbox
    names = [name for name in rq.list() if name not in skipped]
    assert len(names) > 400 and all("/" in name for name in skipped)
    problems = rq.generate_many(names, levels=1, seeds=3)
    assert [problem.environment for problem in problems] == names
    verdicts = rq.score_many(problems, [problem.reference for problem in problems], raw=True)
    assert verdicts.solved.all() and (verdicts.rewards > 0).all() and verdicts.well_formed.all()


def test_a_problem_is_a_value_of_its_address():
    for seed in range(20):
        problem = rq.make("Sorting").generate(level=seed % 4, seed=seed)
        again = rq.restore(problem.address)
        assert again.prompt == problem.prompt and again.parameter == problem.parameter
        from_parameter = rq.restore(environment="Sorting", parameter=problem.parameter)
        assert from_parameter.prompt == problem.prompt and from_parameter.address is None
        assert from_parameter.score(answer(problem)).solved
    assert rq.make("Sorting").generate(seed=1).prompt != rq.make("Sorting").generate(seed=1, split="test").prompt
    assert rq.make("Sorting").generate(seed=1, split="test").address == "Sorting@1/0/1"


def test_parameters_of_any_size_pass_through_json():
    for problem in rq.generate_many(["CRT", "Fibonacci", "Sudoku"], levels=[0, 6], seeds=range(3)):
        copied = json.loads(json.dumps(problem.parameter))
        assert rq.restore(environment=problem.environment, parameter=copied).parameter == problem.parameter
    big = 10**60
    changed = dict(rq.make("Sorting").generate(seed=1).parameter, ignored=big)
    assert rq.restore(environment="Sorting", parameter=changed).environment == "Sorting"


def test_score_and_score_many_agree_for_any_number_of_threads():
    problems = rq.generate_many("held-out", levels=[0, 2], seeds=range(2), allow_missing=True)
    problems = [problem for problem in problems if problem is not None]
    chance = random.Random(1)
    texts = [chance.choice([answer(problem), "<answer>1 2 3</answer>", "none", ""]) for problem in problems]
    single = [problem.score(text) for problem, text in zip(problems, texts)]
    assert any(verdict.solved for verdict in single) and not all(verdict.solved for verdict in single)
    for threads in (1, 2, 5, None):
        together = rq.score_many(problems, texts, threads=threads)
        assert list(together) == single
        assert together.rewards.tolist() == [verdict.reward for verdict in single]
    by_address = rq.score_many([problem.address for problem in problems], texts)
    assert list(by_address) == single


def test_arrays_have_the_types_that_they_say():
    problems = rq.generate_many("Sorting", seeds=range(3))
    verdicts = rq.score_many(problems, [answer(problems[0]), "no", "<answer>1</answer>"])
    assert verdicts.rewards.dtype == numpy.float64 and verdicts.rewards.shape == (3,)
    assert verdicts.solved.dtype == bool and verdicts.solved.tolist() == [True, False, False]
    assert verdicts.well_formed.dtype == bool
    assert len(verdicts) == 3 and verdicts[-3].solved and verdicts[1].reward == -1
    with pytest.raises(IndexError):
        verdicts[3]
    empty = rq.score_many([], [])
    assert empty.rewards.shape == (0,)


def test_solved_is_not_a_rounded_reward():
    almost = rq.Verdict(1 - 2.0**-53, False)
    assert numpy.float32(almost.reward) == 1 and not almost.solved
    assert almost.info == {"reward": almost.reward, "solved": False, "well_formed": True}
    assert almost == rq.Verdict(1 - 2.0**-53, False, True) and almost != rq.Verdict(1, True)


def test_prompt_formats_and_readings():
    problem = rq.make("Sorting", prompt="boxed").generate(level=2, seed=4)
    assert "boxed" in problem.prompt and problem.statement in problem.prompt
    assert problem.score(f"\\boxed{{{problem.reference}}}").solved and not problem.score(answer(problem)).solved
    own = rq.make("Sorting", prompt="Q: {problem}\nA: <answer>").generate(level=2, seed=4)
    assert own.prompt.startswith("Q: ") and own.score(own.reference + "</answer>").solved
    dressed = "<answer>[" + ", ".join(problem.reference.split()) + "]</answer>"
    assert not rq.make("Sorting").generate(level=2, seed=4).score(dressed).solved
    assert rq.make("Sorting", tolerant=True).generate(level=2, seed=4).score(dressed).solved
    mixed = [problem, own]
    texts = [f"\\boxed{{{problem.reference}}}", own.reference + "</answer>"]
    assert rq.score_many(mixed, texts).solved.all()
    address = rq.make("Sorting").generate(level=2, seed=4).address
    assert rq.score_many([address], [dressed], tolerant=True).solved.all()


def test_hostile_texts_are_scored_and_not_obeyed():
    problem = rq.make("Sorting").generate(level=1, seed=0)
    chance = random.Random(7)
    texts = ["", "\0", "\ud800", "<answer>\udfff</answer>", "<answer>" * 1000, "é" * 5000, "<answer>" + "9" * 10**6]
    for _ in range(300):
        text = list(answer(problem))
        for _ in range(chance.randrange(1, 5)):
            text[chance.randrange(len(text))] = chr(chance.choice([0, 10, 60, 255, 0x20AC, 0xD800, 0x1F600]))
        texts.append("".join(text))
    single = [problem.score(text) for text in texts]
    assert list(rq.score_many([problem] * len(texts), texts)) == single
    assert all(-1 <= verdict.reward <= 1 for verdict in single)
    assert not problem.score("<answer>" + "1 " * 2**20 + "</answer>").well_formed


@pytest.mark.parametrize(
    "call, words",
    [
        (lambda: rq.make("Sortin"), "did you mean Sorting"),
        (lambda: rq.make("held-out"), "holds 50 environments"),
        (lambda: rq.make(3), "expected an environment"),
        (lambda: rq.make("Sorting", prompt="no place"), "{problem}"),
        (lambda: rq.make("Sorting").generate(level=-1), "levels 0 to"),
        (lambda: rq.make("Sorting").generate(level=10**6), "levels 0 to"),
        (lambda: rq.make("Sorting").generate(split="dev"), "'dev'"),
        (lambda: rq.make("Sorting").generate(split=0), "numbers above 0"),
        (lambda: rq.restore("Sorting"), "NAME@VERSION/LEVEL/SEED"),
        (lambda: rq.restore("Sorting@99/0/0"), "version 99"),
        (lambda: rq.restore("Nothing@1/0/0"), "Nothing"),
        (lambda: rq.restore("held-out@1/0/0"), 'there is no environment "held-out"'),
        (lambda: rq.restore("Sorting,Knapsack@1/0/0"), 'there is no environment "Sorting,Knapsack"'),
        (lambda: rq.restore("configs/evoenv/seeds/fibonacci.py@1/0/0"), "has read the file"),
        (lambda: rq.score_many(["held-out@1/0/0"], ["x"]), 'there is no environment "held-out"'),
        (lambda: rq.make("Sorting").generate(seed=-1), "seed: a whole number from 0 to 18446744073709551615, and not -1"),
        (lambda: rq.make("Sorting").generate(seed=2**64), "seed: a whole number"),
        (lambda: rq.make("Sorting").generate(seed="1"), "and not '1'"),
        (lambda: rq.make("Sorting").generate(seed=None), "and not None"),
        (lambda: rq.make("Sorting").generate(level=None), "not None"),
        (lambda: rq.make(None), "expected an environment"),
        (lambda: rq.make("Sorting").generate(level=2**40), "levels 0 to"),
        (lambda: rq.make("Sorting").generate(level=0.5), "not 0.5"),
        (lambda: rq.make("Sorting").generate(level=True), "not True"),
        (lambda: rq.make("Sorting").generate(split=True), "not True"),
        (lambda: rq.make("Sorting", tolerant="yes"), "tolerant: True or False, and not 'yes'"),
        (lambda: rq.make("Sorting").generate().score("x", raw=1), "raw: True or False, and not 1"),
        (lambda: rq.score_many(["Sorting@1/0/0"], ["x"], raw=None), "raw: True or False"),
        (lambda: rq.score_many(5, ["x"]), "lists of problems and of texts"),
        (lambda: rq.score_many(["Sorting@1/0/0"], 5), "lists of problems and of texts"),
        (lambda: rq.restore_many("Sorting@1/0/0"), "a list of addresses"),
        (lambda: rq.restore_many(5), "a list of addresses"),
        (lambda: rq.generate_many("Sorting", levels=2**40), "levels: whole numbers from 0 to 2147483647, and not 1099511627776"),
        (lambda: rq.generate_many("Sorting", seeds=2**64), "seeds: whole numbers from 0 to 18446744073709551615"),
        (lambda: rq.generate_many("Sorting", threads="2"), "threads: at least 1, or None for one per core, and not '2'"),
        (lambda: rq.generate_many("Sorting", threads=2**40), "threads"),
        (lambda: rq.generate_many("Sorting", allow_missing="no"), "allow_missing: True or False"),
        (lambda: rq.generate_many(5), "expected an environment"),
        (lambda: rq.dataset("Sorting", size="4"), "size: a whole number from 0 on, and not '4'"),
        (lambda: rq.dataset("Sorting", seed=-1), "seed: a whole number from 0 on, and not -1"),
        (lambda: rq.Curriculum("Sorting").next_batch("4"), "and not '4'"),
        (lambda: rq.Curriculum("Sorting").next_batch(2**40), "at least one problem, and not 1099511627776"),
        (lambda: rq.Curriculum("Sorting").update("Sorting@1/0/0", [True]), "a list of problems or addresses"),
        (lambda: rq.Curriculum("Sorting").update(["Sorting"], [True]), "NAME@VERSION/LEVEL/SEED"),
        (lambda: rq.Curriculum("Sorting").update(["Sorting@1/0/0"], True), "in a list, and not True"),
        (lambda: rq.Curriculum("Sorting").update([], [], end_step=1), "end_step: True or False"),
        (lambda: rq.Curriculum("Sorting", seed=-1), '"seed"'),
        (lambda: rq.Curriculum("Sorting", seed="1"), '"seed"'),
        (lambda: rq.Verdict("1", True), "reward: a number from -1 to 1, and not '1'"),
        (lambda: rq.Verdict(7, True), "reward: a number from -1 to 1, and not 7"),
        (lambda: rq.Verdict(float("nan"), True), "reward: a number from -1 to 1"),
        (lambda: rq.Verdict(1, 1), "solved: True or False, and not 1"),
        (lambda: rq.resume("record"), "expected a JSON object"),
        (lambda: rq.make("Sorting").generate().start().step(5), "action"),
        (lambda: rq.Sandbox(workers="2"), "workers: at least 1"),
        (lambda: rq.Sandbox(workers=True), "workers: at least 1"),
        (lambda: rq.Sandbox(require=3), '"strict" or "standard", not 3'),
        (lambda: rq.connect(5), "urls: one URL or a list of URLs, and not 5"),
        (lambda: rq.connect([5]), "urls: one URL or a list of URLs"),
        (lambda: rq.restore(), "an address, or"),
        (lambda: rq.restore_many(["Sorting@1/0/0", "x"]), "\"x\""),
        (lambda: rq.load_suite("held-oot"), "did you mean"),
        (lambda: rq.load_suite([]), "at least one"),
        (lambda: rq.generate_many("Sorting", levels=-1), "levels"),
        (lambda: rq.generate_many("Sorting", seeds=[0.5]), "seeds"),
        (lambda: rq.generate_many("Sorting", threads=0), "threads"),
        (lambda: rq.score_many(["Sorting@1/0/0"], []), "1 problems and 0 texts"),
        (lambda: rq.score_many(["no address"], ["x"]), "no address"),
        (lambda: rq.score_many("Sorting@1/0/0", ["x"]), "problem.score"),
        (lambda: rq.resume({"problem": "x"}), "missing"),
        (lambda: rq.dataset("Sorting", size=-1), "size"),
        (lambda: rq.Curriculum("Sorting", method="rlv"), "no method 'rlv'; there are rlve"),
        (lambda: rq.generate_many("Sorting", levels="01"), "levels"),
    ],
)
def test_wrong_usage_says_what_to_do(call, words):
    with pytest.raises(rq.UsageError) as raised:
        call()
    assert words in str(raised.value)
    assert isinstance(raised.value, ValueError) and isinstance(raised.value, rq.Error)


@pytest.mark.parametrize(
    "call, words",
    [
        (lambda: rq.restore(5), "address: expected a text (str), and not int"),
        (lambda: rq.restore_many([5]), "addresses: expected a text (str), and not int"),
        (lambda: rq.make("Sorting", prompt=3), "prompt: expected a text (str), and not int"),
        (lambda: rq.make("Sorting").generate().score(None), "text: expected a text (str), and not NoneType"),
        (lambda: rq.make("Sorting").generate().score(b"x"), "text: expected a text (str), and not bytes"),
        (lambda: rq.score_many(["Sorting@1/0/0"], [None]), "texts: expected a text (str), and not NoneType"),
        (lambda: rq.score_many(["Sorting@1/0/0", 5], ["x", "x"]), "problems or their addresses (str), and item 1 is 5"),
        (lambda: rq.Curriculum("Sorting").update([5], [True]), "update: problems or their addresses (str), and item 0 is 5"),
        (lambda: rq.score_many(["Sorting@1/0/0"], ["x"])["0"], "integer"),
        (lambda: rq.forget(3), "name: expected a text (str), and not int"),
        (lambda: rq.synth.python_block(5), "text: expected a text (str), and not int"),
        (lambda: rq.synth.validate(None), "sources: expected a text (str), and not NoneType"),
        (lambda: rq.Sandbox(worker=5), "os.PathLike"),
    ],
)
def test_wrong_types_are_said_in_a_sentence(call, words):
    with pytest.raises(TypeError) as raised:
        call()
    assert words in str(raised.value) and "incompatible function arguments" not in str(raised.value)


def test_numbers_of_numpy_are_numbers():
    env = rq.make("Sorting")
    assert env.generate(numpy.int64(2), numpy.uint64(2**63)).address == f"Sorting@1/2/{2**63}/s1"
    assert env.generate(seed=2**64 - 1).seed == rq.generate_many("Sorting", seeds=2**64 - 1)[0].seed == 2**64 - 1
    assert rq.Verdict(numpy.float64(0.5), numpy.True_) == rq.Verdict(0.5, True)
    assert env.generate().score("1", raw=numpy.True_).well_formed


def test_what_json_has_no_form_for_is_refused_with_its_place():
    env = rq.make("Sorting")
    for value, words in (({1: 2}, "no string"), ({"a": {1, 2}}, '["a"]'), ([float("nan")], "[0]"), (object(), "object")):
        with pytest.raises(rq.UsageError) as raised:
            env.restore(value)
        assert words in str(raised.value)
    nested = []
    for _ in range(1000):
        nested = [nested]
    with pytest.raises(rq.UsageError, match="deep"):
        env.restore(nested)
    with pytest.raises(rq.Error):
        env.restore({"N": "three"})


def test_texts_must_be_texts():
    problem = rq.make("Sorting").generate()
    with pytest.raises(TypeError):
        problem.score(b"bytes")
    with pytest.raises(TypeError):
        rq.score_many([problem], [None])
    with pytest.raises(TypeError):
        rq.score_many([None], ["x"])


def grows_during(call):
    """Whether another Python thread counts on while `call` runs, in one of many runs.

    Nobody is made to let go of the GIL (the interval is long), so the count stands still while this thread holds it.
    """
    counted = 0
    done = threading.Event()

    def count():
        nonlocal counted
        while not done.is_set():
            counted += 1
            time.sleep(0)  # lets go of the GIL

    interval = sys.getswitchinterval()
    sys.setswitchinterval(30)
    thread = threading.Thread(target=count)
    thread.start()
    try:
        for _ in range(100):
            time.sleep(0.001)
            before = counted
            call()
            during = counted
            if during > before:
                time.sleep(0.01)
                return True
        return False
    finally:
        done.set()
        thread.join()
        sys.setswitchinterval(interval)


def test_other_threads_go_on_while_many_are_made_and_scored():
    problems = rq.generate_many("HamiltonianPathExistence,Sorting", levels=4, seeds=range(50))
    texts = [answer(problem) for problem in problems]
    assert grows_during(lambda: rq.score_many(problems * 10, texts * 10))
    assert grows_during(lambda: rq.generate_many("HamiltonianPathExistence,Sorting", levels=4, seeds=range(50)))
    assert grows_during(lambda: ctypes.CDLL(None).usleep(20_000))
    assert not grows_during(lambda: ctypes.PyDLL(None).usleep(2_000))  # which keeps the GIL


def test_threads_share_problems():
    problems = rq.generate_many("held-out", seeds=1)
    expected = [problem.score(answer(problem)) for problem in problems]
    results = [None] * 4

    def work(place):
        results[place] = [problem.score(answer(problem)) for problem in problems]

    threads = [threading.Thread(target=work, args=(place,)) for place in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert results == [expected] * 4


def test_async_functions_give_the_same():
    async def main():
        problems = await rq.aio.generate_many("Sorting", seeds=range(8))
        texts = [answer(problem) for problem in problems]
        single = await asyncio.gather(*(problem.ascore(text) for problem, text in zip(problems, texts)))
        together = await rq.aio.score_many(problems, texts)
        restored = await rq.aio.restore_many([problem.address for problem in problems])
        return single, list(together), [problem.prompt for problem in restored] == [each.prompt for each in problems]

    single, together, same = asyncio.run(main())
    assert single == together and same and all(verdict.solved for verdict in single)


def test_a_forked_process_works_alone():
    problem = rq.make("Sorting").generate(level=2, seed=1)
    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:
        code = 1
        try:
            again = rq.restore(problem.address)
            verdicts = rq.score_many([problem, again] * 100, [answer(problem)] * 200)
            os.write(writing, b"good" if verdicts.solved.all() else b"bad")
            code = 0
        finally:
            os._exit(code)
    os.close(writing)
    with os.fdopen(reading, "rb") as pipe:
        assert pipe.read() == b"good"
    assert os.waitpid(child, 0)[1] == 0


def public(thing):
    """(name, member) of a class or module: what is its own, and can have a docstring."""
    for name, member in vars(thing).items():
        if not name.startswith("_") and (callable(member) or isinstance(member, (property, classmethod, staticmethod))):
            yield name, member


def undocumented():
    from redqueen import connect

    client = sys.modules["redqueen.connect"]  # the module, which a function hides
    things = {name: getattr(rq, name) for name in [*rq.__all__, "list"]}
    things |= {f"connect.{name}": getattr(client, name) for name in client.__all__}
    things |= {f"aio.{name}": getattr(rq.aio, name) for name in [*rq.aio.__all__, "map"]}
    own = [(name, member) for name, member in public(rq.synth) if member.__module__ == "redqueen.synth"]
    things |= {f"synth.{name}": member for name, member in own}
    things |= {"connect.Aio": client.Aio}
    assert connect is rq.connect and len(things) > 50
    for name, thing in things.items():
        if not inspect.getdoc(thing):
            yield name
        if inspect.isclass(thing):
            for member, _ in public(thing):
                if not inspect.getdoc(getattr(thing, member)):
                    yield f"{name}.{member}"


def test_help_reads_well():
    assert [*undocumented()] == []


def test_importing_everything_takes_nothing_of_python_away():
    for package in ("redqueen", "redqueen.aio", "redqueen.connect"):
        names = {}
        exec(f"from {package} import *", names)
        assert not set(names) & set(dir(builtins)) - {"__builtins__", "__doc__", "__name__"}
    assert rq.list() and "list" not in rq.__all__

"""Environments that are written in Python."""

import threading

import pytest

import redqueen as rq


class Products(rq.Environment):
    task = "Two factors are given, their product is asked."
    passing = 0.9

    def generate(self, level, rng):
        return {"factors": [rng.randrange(10 ** (level + 1)) for _ in range(2)], "note": ("a", 10**30)}

    def prompt(self, parameter):
        return f"What is {parameter['factors'][0]} times {parameter['factors'][1]}?"

    def score(self, parameter, answer):
        wanted = parameter["factors"][0] * parameter["factors"][1]
        if not answer.isdecimal():
            return -1
        return 1.0 if int(answer) == wanted else 0.25

    def reference(self, parameter):
        return str(parameter["factors"][0] * parameter["factors"][1])


@pytest.fixture
def products(own_names):
    return rq.register(Products())


def test_it_behaves_like_those_of_the_package(products):
    assert "Products" in rq.list()
    env = rq.make("Products")
    assert env.describe()["task"] == products.task and env.name == "Products"
    problem = env.generate(level=2, seed=5)
    assert problem.address == "Products@1/2/5/s1"
    assert rq.restore(problem.address).prompt == problem.prompt
    copy = rq.restore(environment="Products", parameter=problem.parameter)
    assert copy.prompt == problem.prompt and problem.parameter["note"] == ["a", 10**30]
    assert problem.score(f"<answer>{problem.reference}</answer>") == rq.Verdict(1, True)
    assert problem.score("<answer>7</answer>") == rq.Verdict(0.25, False)
    assert problem.score("<answer>seven</answer>") == rq.Verdict(-1, False, False)
    assert not problem.score("no answer").well_formed
    assert problem.start().step(f"<answer>{problem.reference}</answer>")[1:3] == (1.0, True)


def test_it_joins_suites_curricula_batches_and_data_sets(products):
    suite = rq.load_suite(["Products", "Sorting"])
    assert [env.name for env in suite.environments] == ["Products", "Sorting"]
    assert [env.name for env in rq.load_suite("Products,Sorting").environments] == ["Products", "Sorting"]
    problems = rq.generate_many(suite, levels=[0, 1], seeds=range(20), threads=3)
    verdicts = rq.score_many(problems, [f"<answer>{problem.reference}</answer>" for problem in problems], threads=3)
    assert verdicts.solved.all()
    curriculum = rq.Curriculum([products, "Sorting"], minimum_groups=1, rollouts=1)
    for _ in range(10):
        batch = curriculum.next_batch(8)
        curriculum.update(batch, [True] * 8)
    assert curriculum.levels()["Products"][1] > 1
    assert len(rq.dataset([products, "Sorting"], size=4, as_list=True)) == 4


def test_it_needs_no_name():
    problem = rq.make(Products()).generate(seed=1)
    assert problem.score(f"<answer>{problem.reference}</answer>").solved
    assert "Products" not in rq.list()


def test_threads_may_share_it(products):
    problems = rq.generate_many("Products", seeds=range(30))
    texts = [f"<answer>{problem.reference}</answer>" for problem in problems]
    good = []

    def work():
        good.append(rq.score_many(problems, texts).solved.all())
        good.append(all(problem.score(text).solved for problem, text in zip(problems, texts)))

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert good == [True] * 8


def test_a_function_is_an_environment(own_names):
    @rq.environment(name="squares", max_level=3, score=lambda answer, right: 1.0 if answer == str(right) else 0.5)
    def square_numbers(level, rng):
        """A number is given, its square is asked."""
        number = rng.randrange(2, 10 ** (level + 1))
        return f"What is {number} squared?", number**2

    env = rq.make("squares")
    assert env.max_level == 3 and env.describe()["task"] == "A number is given, its square is asked."
    problem = env.generate(level=3, seed=2)
    assert problem.score(f"<answer>{problem.reference}</answer>").solved
    assert problem.score("<answer>1</answer>").reward == 0.5
    with pytest.raises(rq.UsageError, match="levels 0 to 3"):
        env.generate(level=4)


def test_a_class_may_be_decorated(own_names):
    @rq.environment(name="other-products", version=2)
    class Renamed(Products):
        pass

    assert rq.make("other-products").generate(seed=1).address == "other-products@2/0/1/s1"


def test_none_asks_for_another_attempt(own_names):
    @rq.environment
    def rare(level, rng):
        number = rng.randrange(50)
        return ("Say 7.", number) if number == 7 else None

    @rq.environment
    def never(level, rng):
        return None

    assert rq.make("rare").generate(seed=1).reference == "7"
    with pytest.raises(rq.Error, match="attempts"):
        rq.make("never").generate(seed=1)
    assert rq.generate_many("never,rare", seeds=range(2), allow_missing=True)[:2] == [None, None]


class Faulty(rq.Environment):
    def __init__(self, where, what):
        self.name = f"faulty-{where}"
        self.where, self.what = where, what

    def fault(self, where, good):
        if where != self.where:
            return good
        if isinstance(self.what, Exception):
            raise self.what
        return self.what

    def generate(self, level, rng):
        return self.fault("generate", {"x": 1})

    def prompt(self, parameter):
        return self.fault("prompt", "?")

    def score(self, parameter, answer):
        return self.fault("score", 0.5)

    def reference(self, parameter):
        return self.fault("reference", "1")


@pytest.mark.parametrize("where", ["generate", "prompt", "score"])
def test_its_exceptions_arrive_as_they_were_raised(where):
    env = rq.make(Faulty(where, KeyError("inside")))
    for threads in (1, 4):
        with pytest.raises(KeyError, match="inside") as raised:
            problems = rq.generate_many([env, "Sorting"], seeds=range(9), threads=threads)
            rq.score_many(problems, ["<answer>1</answer>"] * 18, threads=threads)
        assert raised.traceback[-1].name == "fault"
    with pytest.raises(KeyError):
        env.generate().score("<answer>1</answer>")


@pytest.mark.parametrize(
    "where, what, words",
    [
        ("generate", {1, 2}, "JSON has no form for"),
        ("prompt", 3, "prompt() gave 3"),
        ("score", 7, "a reward is a number from -1 to 1"),
        ("score", float("nan"), "a reward is a number from -1 to 1"),
        ("score", "good", "a reward is a number from -1 to 1"),
    ],
)
def test_what_it_gives_is_checked(where, what, words):
    with pytest.raises(rq.UsageError) as raised:
        rq.make(Faulty(where, what)).generate().score("<answer>1</answer>")
    assert words in str(raised.value)


CELL = """
import redqueen as rq

@rq.environment
def notebook(level, rng):
    return "Say {word}.", "{word}"

@rq.environment
class Notebook(rq.Environment):
    def generate(self, level, rng):
        return 1
    def prompt(self, parameter):
        return "Say {word}."
"""


def test_a_cell_that_runs_again_replaces_what_it_defined(own_names):
    names = {"__name__": "__main__"}
    exec(CELL.format(word="one"), names)
    old = rq.make("notebook").generate()
    suite = rq.load_suite("notebook,Notebook")
    exec(CELL.format(word="two"), names)
    for name in ("notebook", "Notebook"):
        assert rq.make(name).generate().prompt.startswith("Say two.")
    assert rq.restore("notebook@1/0/0/s1").reference == "two"
    assert old.score("<answer>one</answer>").solved  # a problem stays what it is
    assert [env.generate().prompt[:8] for env in suite.environments] == ["Say one."] * 2
    names["__name__"] = "another"
    with pytest.raises(rq.UsageError, match=r'"notebook" already.*redqueen.forget\("notebook"\)'):
        exec(CELL.format(word="three"), names)
    assert rq.restore("notebook@1/0/0/s1").reference == "two"
    assert rq.forget("notebook") and rq.forget("Notebook")
    exec(CELL.format(word="three"), names)
    assert rq.restore("notebook@1/0/0/s1").reference == "three"


def test_names_are_taken_once(products):
    class Other(Products):
        name = "Products"

    with pytest.raises(rq.UsageError, match="Products"):
        rq.register(Other())
    assert rq.register(Products()) is not products  # the same class
    assert rq.forget("Products") and not rq.forget("Products")
    rq.register(Other())
    for name in ("Sorting", "a@b", "a,b", "a b", ""):
        taken = Products()
        taken.name = name
        with pytest.raises(rq.UsageError):
            rq.register(taken)


def test_a_class_is_no_instance():
    for call in (rq.make, rq.load_suite, rq.register, rq.Curriculum):
        with pytest.raises(rq.UsageError, match=r"pass an instance, Products\(\)"):
            call(Products)
    with pytest.raises(rq.UsageError, match="derives from redqueen.Environment"):
        rq.register(len)


def test_wrong_decorations():
    with pytest.raises(rq.UsageError):
        rq.environment(int)
    with pytest.raises(rq.UsageError):
        rq.environment(Products, score=lambda answer, right: 1)
    with pytest.raises(rq.UsageError, match="speed"):
        rq.environment(lambda level, rng: ("?", 1), speed=3)
    for setting in ({"version": "2"}, {"max_level": 2.5}, {"max_level": 2**40}, {"passing": "all"}, {"task": 3}):
        with pytest.raises(rq.UsageError, match=next(iter(setting))):
            rq.environment(lambda level, rng: ("?", 1), name="wrong", **setting)

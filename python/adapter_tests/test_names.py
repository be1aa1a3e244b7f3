"""What a client of servers has of the package's names: compared one by one, and both asked the same."""
import ast
import asyncio
import inspect
import pathlib

import pytest

import redqueen
from redqueen.connect import Client, ServerError, SharedCurriculum
from redqueen.server import Server

# Names of the package that a client lacks, and why.
NOT_ON_A_CLIENT = {
    "Environment": "own environments run in the process that defines them; a server has those of its --environments",
    "environment": "likewise",
    "register": "likewise",
    "forget": "likewise",
    "Sandbox": "runs programs on this machine; trainers that want a server's ask /run_code",
    "Outcome": "what a Sandbox gives",
    "Error": "the class that the client's errors derive from",
    "UsageError": "likewise",
    "connect": "makes clients",
    "synth": "validates environments on this machine, in a Sandbox of it",
}
CLASSES = ["Env", "Episode", "Problem", "Suite", "Verdict", "Verdicts"]  # a client's own have the same members
BESIDES = {"Curriculum": ["id"], "next_batch": ["prompt"]}  # parameters that a client has more, with a default each
AIO_OF_THE_SANDBOX = {"run", "run_many", "map"}


def parameters(function):
    """(name, kind, default) of the parameters, without `self`."""
    return [(p.name, p.kind.name, "" if p.default is p.empty else repr(p.default))
            for p in inspect.signature(function).parameters.values() if p.name != "self"]


def has_the_same(name, local, remote):
    besides = BESIDES.get(name, [])
    more = [p for p in parameters(remote) if p[0] in besides]
    assert [p[0] for p in more] == besides and all(default for _, _, default in more)
    assert [p for p in parameters(remote) if p[0] not in besides] == local, name


@pytest.mark.parametrize("name", sorted(set(redqueen.__all__) - {*CLASSES, "aio", "Curriculum"}))
def test_every_function_is_on_the_client_with_its_parameters(name):
    assert (name in NOT_ON_A_CLIENT) != hasattr(Client, name)
    if name not in NOT_ON_A_CLIENT:
        has_the_same(name, parameters(getattr(redqueen, name)), getattr(Client, name))


def test_every_function_for_asyncio_is_on_the_client_with_its_parameters(client):
    for name, function in inspect.getmembers(redqueen.aio, inspect.iscoroutinefunction):
        if name.startswith("_"):
            continue
        assert (name in AIO_OF_THE_SANDBOX) != hasattr(client.aio, name)
        if name not in AIO_OF_THE_SANDBOX:
            has_the_same(name, parameters(function), getattr(type(client.aio), name))


def test_a_curriculum_has_the_same_members():
    has_the_same("Curriculum", parameters(redqueen.Curriculum.__init__), Client.Curriculum)
    for name, member in vars(redqueen.Curriculum).items():
        if isinstance(member, property):
            assert isinstance(getattr(SharedCurriculum, name), property)
        elif not name.startswith("_"):
            has_the_same(name, parameters(member), getattr(SharedCurriculum, name))


def members(name):
    """Those of a class of the extension module, as its stub has them: name → parameters, or None for a property."""
    stub = pathlib.Path(redqueen.__file__).with_name("_native.pyi").read_text(encoding="utf-8")
    (found,) = [node for node in ast.parse(stub).body if isinstance(node, ast.ClassDef) and node.name == name]
    made = {}
    for node in found.body:
        if isinstance(node, ast.FunctionDef) and not node.name.startswith("_"):
            defaults = [""] * (len(node.args.args) - len(node.args.defaults)) + [ast.unparse(d) for d in node.args.defaults]
            listed = [(a.arg, "POSITIONAL_OR_KEYWORD", d) for a, d in zip(node.args.args, defaults)][1:]
            made[node.name] = None if node.decorator_list else listed
    return made


@pytest.mark.parametrize("name", CLASSES)
def test_every_class_has_the_same_members(client, name):
    problem = client.make("Sorting").generate()
    instances = {"Env": client.make("Sorting"), "Episode": problem.start(), "Problem": problem, "Suite": client.load_suite("c4"),
                 "Verdict": problem.score("no"), "Verdicts": client.score_many([problem], ["no"])}
    found = members(name)
    assert found
    for member, listed in found.items():
        value = getattr(instances[name], member)
        if listed is None:
            assert not inspect.isroutine(value), member
        else:
            has_the_same(member, listed, getattr(type(instances[name]), member))


# An environment of which half of the levels cannot be had.
NOT_ALWAYS = '''class Even(VerifiableEnvironment):
    prompt_template = "Say {number}."

    def _generate(self, seed, difficulty):
        if difficulty % 2:
            raise ValueError("only at even levels")
        self.number = seed % 100
        self.ref_answer = self.number

    def _prompt_generate(self):
        return self.prompt_template.format(number=self.number)

    def _process(self, response):
        return parse_int(response)

    def scorer(self, parsed):
        return 1.0 if parsed == self.ref_answer else 0.0
'''


def problem_of(p):
    return (p.address, p.environment, p.level, p.seed, p.split, p.prompt, p.statement, p.messages, p.tools, p.max_turns, p.reference,
            p.parameter)


def verdict_of(v):
    return v.reward, v.solved, v.well_formed, v.info


def suite_of(s):
    return s.name, [e.name for e in s.environments], [round(w, 12) for w in s.weights], s.missing, s.levels, s.problems, len(s)


def played(rq):
    episode = rq.make("household").generate(2, 1).start()
    seen = [episode.observation, episode.tools, episode.step("look")]
    message = {"content": None, "tool_calls": [{"id": "a", "type": "function", "function": {"name": "inventory", "arguments": "{}"}}]}
    seen.append(episode.step(message))
    again = rq.resume(episode.record())
    assert again.turns == 2 and again.observation == episode.observation and again.tools == episode.tools
    return [*seen, episode.record(), again.step("look"), again.problem.address, again.done, verdict_of(again.verdict()), again.state()]


def scored(rq, **settings):
    problems = ["Sorting@1/1/5/s1", "Multiplication@1/0/0/s1", "Sorting@1/1/5/s1"]
    restored = [rq.restore(address).reference for address in problems]
    texts = [f"<answer>{restored[0]}</answer>", f"\\boxed{{{restored[1]}}}", f"{restored[2]}</answer>"]
    verdicts = rq.score_many(problems, texts, **settings)
    return list(verdicts.rewards), list(verdicts.solved), list(verdicts.well_formed), verdict_of(verdicts[0])


QUESTIONS = {
    "describe": lambda rq: rq.describe("Sorting"),
    "make": lambda rq: problem_of(rq.make("Sorting", prompt="boxed", tolerant=True).generate(2, 5, "test")),
    "max_level": lambda rq: rq.make("Sorting").max_level,
    "a split of one's own": lambda rq: problem_of(rq.make("Sorting").generate(1, 2, split=300)),
    "a world": lambda rq: problem_of(rq.make("household").generate(1, 2)),
    "a template": lambda rq: problem_of(rq.restore("Sorting@1/1/2/s1", prompt="Q: {problem}\n\\boxed, please")),
    "a parameter": lambda rq: problem_of(rq.restore(environment="Sorting", parameter=rq.restore("Sorting@1/1/2").parameter)),
    "a score of a parameter": lambda rq: verdict_of(
        rq.make("Sorting", prompt="terse").restore(rq.restore("Sorting@1/1/2").parameter).score("1 2</answer>")),
    "suite": lambda rq: suite_of(rq.load_suite("held-out")),
    "suite of names": lambda rq: suite_of(rq.load_suite("Sorting,Knapsack")),
    "suite of parts": lambda rq: suite_of(rq.load_suite(["c4", "Sorting", rq.load_suite("worlds"), rq.make("Knapsack")])),
    "restore_many": lambda rq: [p.prompt for p in rq.restore_many([f"Sorting@1/1/{i}/s1" for i in range(600)], prompt="bare")],
    "generate_many": lambda rq: [problem_of(p) for p in rq.generate_many("worlds", [0, 1], [3, 4, 9], "test", prompt="boxed")],
    "generate_many of a list": lambda rq: [p.address for p in rq.generate_many(["worlds", "Sorting"], threads=2)],
    "score_many": scored,
    "score_many, boxed": lambda rq: scored(rq, prompt="boxed"),
    "score_many, terse": lambda rq: scored(rq, prompt="terse", tolerant=True),
    "score_many, raw": lambda rq: scored(rq, raw=True),
    "dataset": lambda rq: rq.dataset("held-out", [0, 1], 120, as_list=True),
    "dataset for a chat": lambda rq: rq.dataset(["worlds", "Sorting"], 0, 7, "test", 3, prompt="think", chat=True, reference=True,
                                                as_list=True),
    "an episode": played,
    "an episode of one turn": lambda rq: [
        (e := rq.make("Multiplication", prompt="boxed", tolerant=True).generate(seed=3).start()).observation,
        e.step(f"\\boxed{{ {e.problem.reference} }}"), verdict_of(e.verdict()), e.record()],
    "aio": lambda rq: [p.address for p in asyncio.run(rq.aio.generate_many("Sorting", [0, 1]))],
    "a curriculum": lambda rq: [(c := rq.Curriculum(["Sorting", "Knapsack"], seed=4, prompt="boxed", minimum_groups=1, rollouts=1)).levels(),
                                [problem_of(p) for p in c.next_batch(5)], c.drawn, suite_of(c.suite)],
}


@pytest.mark.parametrize("what", QUESTIONS)
def test_servers_answer_as_the_package_does(client, what):
    assert QUESTIONS[what](client) == QUESTIONS[what](redqueen)


WRONG = {
    "no such environment": lambda rq: rq.make("Sortin"),
    "no such suite": lambda rq: rq.load_suite("held-ou"),
    "no name": lambda rq: rq.make(3),
    "no parts": lambda rq: rq.load_suite([]),
    "no address": lambda rq: rq.restore("Sorting"),
    "a suite's address": lambda rq: rq.restore("held-out@1/0/0"),
    "a path's address": lambda rq: rq.score_many(["configs/evoenv/seeds/fibonacci.py@1/0/0"], ["x"]),
    "another version": lambda rq: rq.restore("Sorting@99/0/0"),
    "address and parameter": lambda rq: rq.restore("Sorting@1/0/0", parameter=1),
    "no such level": lambda rq: rq.make("Sorting").generate(10**6),
    "no such split": lambda rq: rq.make("Sorting").generate(split="dev"),
    "split 0": lambda rq: rq.generate_many("Sorting", split=0),
    "no such prompt": lambda rq: rq.make("Sorting", prompt="Boxed").generate(),
    "a level below 0": lambda rq: rq.generate_many("Sorting", -1),
    "no thread": lambda rq: rq.generate_many("Sorting", threads=0),
    "one text": lambda rq: rq.score_many(["Sorting@1/0/0"], "no"),
    "too few texts": lambda rq: rq.score_many(["Sorting@1/0/0"], []),
    "no levels": lambda rq: rq.dataset("Sorting", []),
    "no record": lambda rq: rq.resume({"problem": "Sorting@1/0/0"}),
    "no such method": lambda rq: rq.Curriculum("Sorting", method="guess"),
    "no such setting": lambda rq: rq.Curriculum("Sorting", levles=3),
    "a parameter of another kind": lambda rq: rq.make("Sorting").restore({"N": "x"}),
}


@pytest.mark.parametrize("what", WRONG)
def test_what_the_package_refuses_servers_refuse(client, what):
    for rq in (redqueen, client):
        with pytest.raises(redqueen.Error) as refused:
            WRONG[what](rq)
        assert len(str(refused.value)) > 15
        if rq is redqueen:
            kind = redqueen.UsageError if isinstance(refused.value, redqueen.UsageError) else redqueen.Error
    assert isinstance(refused.value, kind)


def test_a_text_that_is_none_is_an_error_of_type(client):
    for rq in (redqueen, client):
        with pytest.raises(TypeError):
            rq.score_many(["Sorting@1/0/0"], [None])


def test_an_episode_of_the_package_goes_on_at_a_server_and_back(client):
    here = redqueen.make("household").generate(2, 1).start()
    here.step("look")
    there = client.resume(here.record())
    assert (there.observation, there.tools, there.turns) == (here.observation, here.tools, here.turns)
    assert there.step("go to kitchen") == here.step("go to kitchen")
    back = redqueen.resume(there.record())
    assert back.turns == 2 and back.record() == here.record()


def test_a_problem_that_cannot_be_made_is_none_where_that_is_allowed(tmp_path):
    (tmp_path / "even.py").write_text(NOT_ALWAYS)
    with Server(["--environments", str(tmp_path / "even.py"), "--set", "sandbox.require=standard"]) as own:
        client = redqueen.connect(own.url)
        (name,) = set(client.list()) - set(redqueen.list())
        with pytest.raises(ServerError, match="no problem could be generated"):
            client.generate_many(name, [0, 1])
        made = client.generate_many(name, [0, 1], allow_missing=True)
        assert made[0].level == 0 and made[1] is None
        assert [p.level for p in client.select(name, [0, 1], 4)] == [0, 0]
        with pytest.raises(ServerError, match="no problem could be generated"):
            client.dataset(name, [0, 1], 2, as_list=True)


def test_what_only_an_administrator_may_see(tmp_path):
    token, admin = tmp_path / "token", tmp_path / "admin"
    token.write_text("user")
    admin.write_text("admin")
    with Server(["--token-file", str(token), "--admin-token-file", str(admin)]) as guarded:
        user, boss = redqueen.connect(guarded.url, token="user"), redqueen.connect(guarded.url, token="admin")
        mine, theirs = user.make("household").generate(), boss.make("household").generate()
        assert mine.messages == theirs.messages and theirs.reference
        episodes = mine.start(), theirs.start()
        assert episodes[1].state() and not episodes[1].verdict().solved
        for ask in (lambda: mine.reference, lambda: mine.parameter, lambda: user.dataset("Sorting", size=1, reference=True, as_list=True),
                    lambda: episodes[0].state(), lambda: episodes[0].verdict(), lambda: user.Curriculum("Sorting")):
            with pytest.raises(ServerError, match="administrator's token"):
                ask()


def test_what_servers_do_not_take_is_said(client):
    for ask, sentence in (
        (lambda: client.make(redqueen.make("Sorting")), "by their names"),
        (lambda: client.Curriculum(["c4", "Sorting,Knapsack"]), "one suite or a list of environments"),
        (lambda: client.restore(environment="Sorting", parameter=client.restore("Sorting@1/0/0").parameter).start(), "came from a parameter"),
        (lambda: client.Curriculum("Sorting").load(redqueen.Curriculum("Sorting").state()), "no state of a server's curriculum"),
    ):
        with pytest.raises(redqueen.UsageError, match=sentence):
            ask()

"""The client against real servers, one of which dies, refuses, or is told the same thing twice."""
import asyncio
import contextlib
import http.client
import http.server
import json
import multiprocessing
import pickle
import re
import threading
import time

import pytest
from support import ROOT

import redqueen
from redqueen import UsageError
from redqueen.connect import Client, ServerError, connect
from redqueen.server import Server


def right(problem):
    """The answer to a Sorting problem, from its prompt."""
    numbers = problem.prompt.splitlines()[1].split()
    return f"<answer>{' '.join(sorted(numbers, key=int))}</answer>"


def test_names_of_the_package(client):
    assert "Sorting" in client.list()
    assert client.describe("Sorting")["scoring"] == "element-wise"
    problem = client.make("Sorting").generate(level=3, seed=7)
    assert (problem.environment, problem.level, problem.seed, problem.split) == ("Sorting", 3, 7, "train")
    assert client.restore(problem.address).prompt == problem.prompt
    verdict = problem.score(right(problem))
    assert (verdict.reward, verdict.solved, verdict.well_formed) == (1.0, True, True)
    assert problem.score("no idea").reward == -1.0
    assert asyncio.run(problem.ascore(right(problem))).solved
    assert client.generate("Sorting", 3, 7, split="test").address == "Sorting@1/3/7"


def test_many_problems_are_those_asked_for_singly(client):
    many = client.generate_many("Sorting,Multiplication", [0, 2], [5, 6, 7, 1])
    alone = [client.generate(name, level, seed)
             for name in ("Sorting", "Multiplication") for level in (0, 2) for seed in (5, 6, 7, 1)]
    assert [(p.address, p.prompt) for p in many] == [(p.address, p.prompt) for p in alone]
    assert [p.prompt for p in client.restore_many([p.address for p in many])] == [p.prompt for p in many]
    assert len(client.generate_many("worlds", 0, range(2))) == 2 * len(client.load_suite("worlds"))
    with pytest.raises(ServerError, match="there is no suite or environment"):
        client.generate_many("worlsd")


def test_an_answer_is_read_as_its_prompt_asked_for_it(client):
    boxed = client.make("Multiplication", prompt="boxed").generate(level=0)
    strict = client.make("Sorting").generate(level=1)
    tolerant = client.make("Sorting", tolerant=True).generate(level=1)
    assert "boxed" in boxed.prompt and "<answer>" in strict.prompt
    loose = right(strict).replace(" ", ", ")
    factors = [int(word) for word in re.findall(r"\d+", boxed.prompt)][:2]
    answer = f"\\boxed{{{factors[0] * factors[1]}}}"
    problems = [boxed, strict, tolerant, strict]
    verdicts = client.score_many(problems, [answer, loose, loose, right(strict)])
    assert [v.solved for v in verdicts] == [True, False, True, True] == list(verdicts.solved)
    assert verdicts.rewards.dtype == "float64" and list(verdicts.rewards) == [v.reward for v in verdicts]
    assert strict.score(right(strict)[len("<answer>"):-len("</answer>")], raw=True).solved


def test_many_problems_of_an_env_are_asked_and_read_as_it_says(client):
    for env in (client.make("Sorting", prompt="boxed"), client.make("Sorting", prompt="terse", tolerant=True)):
        many, alone = client.generate_many(env, 1, [3, 4, 9]), [env.generate(1, seed) for seed in (3, 4, 9)]
        assert [p.prompt for p in many] == [p.prompt for p in alone]
        loose = [right(p).removeprefix("<answer>").replace(" ", ", ") for p in many]
        verdicts = client.score_many(many, loose)
        assert verdicts == client.score_many(alone, loose) and verdicts.solved.all() == (env._format.prompt == "terse")
    boxed = client.generate_many(client.make("Multiplication", prompt="boxed"))[0]
    factors = [int(word) for word in re.findall(r"\d+", boxed.prompt)][:2]
    assert boxed.score(f"\\boxed{{{factors[0] * factors[1]}}}").solved


def test_a_prompt_that_begins_the_response_is_part_of_it(client):
    problem = client.make("Sorting", prompt="terse").generate(level=1)
    assert problem.prompt.endswith("<answer>")
    rest = right(problem).removeprefix("<answer>")
    assert problem.score(rest).solved and client.score(problem, rest).solved
    assert not problem.score("no idea</answer>").solved


def test_a_data_set_of_many_pages_has_every_problem_once(client):
    rows = client.dataset("Sorting,Multiplication,GCDOne_Counting", [0, 2], 700, seed=4, as_list=True)
    assert len(rows) == len({row["address"] for row in rows}) == 700
    assert [row["environment"] for row in rows[:3]] == ["Sorting", "Multiplication", "GCDOne_Counting"]
    assert {row["level"] for row in rows} == {0, 2}
    assert rows[6 * 100]["address"] == "Sorting@1/0/104/s1"  # behind the first page, the order goes on


def test_scores_of_a_batch_are_those_asked_for_singly(client):
    problems = [*client.select("Sorting", [1], 1100)]
    texts = [right(p) if i % 3 else f"no {i}" for i, p in enumerate(problems)]
    verdicts = client.score_many(problems, texts)
    assert [v.solved for v in verdicts] == [i % 3 != 0 for i in range(1100)]
    assert verdicts[:5] == [p.score(t) for p, t in zip(problems[:5], texts)]
    assert client.score_many([], []) == []


@pytest.mark.parametrize("text", ["", "\x00", "\ud800", "<answer>\u2028</answer>", '"\\', "é" * 1000, "<answer>" * 1000])
def test_any_text_is_scored(client, text):
    assert client.score("Sorting@1/2/0/s1", text).reward == -1.0


@pytest.mark.parametrize("ask, sentence", [
    (lambda c: c.make("Sortin"), "there is no environment"),
    (lambda c: c.restore("Sorting"), "not a problem's address"),
    (lambda c: c.score("nonsense", "x"), "not a problem's address"),
    (lambda c: c.generate("Sorting", level=-1), "level"),
    (lambda c: c.Curriculum("NoSuchSuite"), "NoSuchSuite"),
])
def test_what_is_wrong_is_said(client, ask, sentence):
    with pytest.raises(ServerError, match=sentence):
        ask(client)


def test_an_episode_goes_on_at_another_server(server, client):
    with Server() as other:
        episode = client.generate("household", 2, 1).start()
        assert episode.tools and episode.observation[0]["role"] == "user"
        observation, reward, terminated, truncated, _ = episode.step("look")
        assert observation and (reward, terminated, truncated) == (0.0, False, False)
        client.replace([other.url])
        for _ in range(100):
            observation, reward, terminated, truncated, _ = asyncio.run(episode.astep({"text": "look"}))
            if terminated or truncated:
                break
        assert episode.done and not episode.verdict().solved


def test_a_curriculum_rises_and_counts_what_is_sent_again_once(client):
    curriculum = client.Curriculum("Sorting", minimum_groups=1, rollouts=1, width=2, id="rising")
    start = curriculum.levels()["Sorting"]
    for _ in range(6):
        batch = curriculum.next_batch(8)
        verdicts = client.score_many(batch, [right(p) for p in batch])
        assert curriculum.update(batch, verdicts) == 8
    assert curriculum.levels()["Sorting"][1] > start[1]
    assert curriculum.levels() == client.Curriculum("Sorting", minimum_groups=1, rollouts=1, width=2, id="rising").levels()
    scored = client._ask("GET", "/v1/curricula/rising")["scored"]
    curriculum._sequence -= 1  # as if the answer had been lost
    assert curriculum.update(batch, verdicts) == 8
    assert client._ask("GET", "/v1/curricula/rising")["scored"] == scored == 48
    with pytest.raises(UsageError, match="2 problems and 1 verdicts"):
        curriculum.update(batch[:2], verdicts[:1])


def test_a_curriculum_takes_no_reward_for_a_truth(client):
    curriculum = client.Curriculum("Sorting", minimum_groups=1, rollouts=1)
    batch = curriculum.next_batch(4)
    verdicts = client.score_many(batch, ["no"] * 4)
    for wrong in (verdicts.rewards, [-1.0] * 4, ["no"] * 4, [1] * 4):
        with pytest.raises(UsageError, match="verdicts or truth values, and item 0 is"):
            curriculum.update(batch, wrong)
    assert client._ask("GET", f"/v1/curricula/{curriculum.id}")["scored"] == 0
    assert curriculum.update(batch, verdicts.solved) == curriculum.update(batch, verdicts) == 4
    assert client._ask("GET", f"/v1/curricula/{curriculum.id}")["scored"] == 8


def test_processes_of_one_trainer_draw_the_same(client):
    settings = {"id": "shared", "seed": 3}
    streams = [client.Curriculum("Sorting,Multiplication", **settings).stream("ranks", at_once=4) for _ in range(2)]
    read = [[next(stream).address for _ in range(10)] for stream in streams]
    assert read[0] == read[1] and len(set(read[0])) == 10
    batch = client.Curriculum("Sorting,Multiplication", **settings).next_batch(10)
    assert not {p.address for p in batch} & set(read[0])


def test_a_curriculum_survives_its_owner(tmp_path):
    state = ["--state", str(tmp_path / "curricula.db")]
    with Server(state) as first, Server() as other:
        client = connect([first.url, other.url])
        curriculum = client.Curriculum("Sorting", id="c", minimum_groups=1, rollouts=1)
        batch = curriculum.next_batch(8)
        first.process.kill()
        first.process.wait()
        with Server(state) as again:
            threading.Timer(0.3, lambda: client.replace([other.url, again.url], owner=again.url)).start()
            assert curriculum.update(batch, [True] * 8) == 8  # waits for the owner, and asks no other
            assert client.owner == again.url
            saved = curriculum.state()
            curriculum.load(saved)
            assert curriculum.update(batch, [True] * 8) == 8
            assert client._ask("GET", "/v1/curricula/c", of=lambda: client.owner)["scored"] == 16


def test_a_server_that_dies_loses_nothing(server):
    with Server() as mortal:
        client = connect([mortal.url, server.url])
        problems = [*client.select("Sorting", [0, 1], 3000)]
        texts = [right(p) if i % 2 else "no" for i, p in enumerate(problems)]
        expected = client.score_many(problems, texts)
        done, got = threading.Event(), []

        def score():
            for _ in range(10):
                got.append(client.score_many(problems, texts, threads=4))
            done.set()

        thread = threading.Thread(target=score)
        thread.start()
        mortal.process.kill()
        thread.join()
        assert done.is_set() and all(verdicts == expected for verdicts in got)
        assert [v.solved for v in expected] == [i % 2 == 1 for i in range(3000)]


class _Moody(http.server.BaseHTTPRequestHandler):
    """Answers 503 twice, then as a server does; closes every other connection without a word."""
    protocol_version = "HTTP/1.1"
    calls = 0

    def do_POST(self):
        type(self).calls += 1
        self.rfile.read(int(self.headers["Content-Length"]))
        status = 503 if type(self).calls <= 2 else 200
        body = json.dumps({"verdicts": [{"reward": 0.25, "solved": False, "well_formed": True}]}).encode()
        self.send_response(status)
        self.send_header("Content-Length", str(len(body)))
        if status == 503:
            self.send_header("Retry-After", "0")
        self.end_headers()
        self.wfile.write(body)
        if type(self).calls % 2 == 0:
            self.close_connection = True

    def log_message(self, *_):
        pass


def test_a_connection_that_is_reset_while_it_is_made_is_no_answer(server, monkeypatch):
    resets = []

    def refuse(connection):
        if len(resets) < 3:
            resets.append(connection)
            raise ConnectionResetError(104, "Connection reset by peer")
        return made(connection)

    made = http.client.HTTPConnection.connect
    monkeypatch.setattr(http.client.HTTPConnection, "connect", refuse)
    assert "Sorting" in connect(server.url, patience=5).list() and len(resets) == 3


def test_busy_servers_and_closed_connections_are_ridden_out():
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), _Moody) as moody:
        threading.Thread(target=moody.serve_forever, daemon=True).start()
        client = Client(f"http://127.0.0.1:{moody.server_address[1]}/", patience=20)
        assert [client.score("a", "b").reward for _ in range(6)] == [0.25] * 6
        assert _Moody.calls >= 8
        moody.shutdown()


def test_no_server_is_an_error_with_the_reason():
    with pytest.raises(ServerError, match="no server answered within 0.3 s.*Connection ?[Rr]efused.*is `redqueen serve` at work there"):
        connect("http://127.0.0.1:9", patience=0.3)
    for urls in ([], ["127.0.0.1:8000"], ["ftp://host"], ["http://host:port"], ["http://host:70000"], ["http://"]):
        with pytest.raises(UsageError, match="URL"):
            Client(urls)


def test_a_wrong_url_is_found_out_soon():
    begun = time.monotonic()
    with pytest.raises(ServerError, match="no server answered within 10 s"):
        connect("http://127.0.0.1:9")
    assert time.monotonic() - begun < 15


@contextlib.contextmanager
def answering(status, body, kind="application/json"):
    """The URL of a server that gives one answer to everything."""

    class Handler(http.server.BaseHTTPRequestHandler):
        def do_GET(self):
            self.rfile.read(int(self.headers.get("Content-Length", 0)))
            self.send_response(status)
            self.send_header("Content-Type", kind)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        do_POST = do_GET

        def log_message(self, *_):
            pass

    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_address[1]}"
        server.shutdown()


def test_what_is_no_server_of_redqueen_is_said(server):
    with pytest.raises(UsageError, match="there is no such path; the URL is wrong, or the server is of another version"):
        connect(server.url + "/elsewhere")
    with answering(200, b"<html>", "text/html") as url, pytest.raises(ServerError, match="no JSON, so this is no server of RedQueen"):
        connect(url)
    with answering(200, b"{}") as url, pytest.raises(UsageError, match="answers, and not as `redqueen serve` does"):
        connect(url)


def test_a_server_of_another_version_is_said(client):
    with pytest.raises(UsageError, match="Sorting@99/1/2 is of version 99, this is version 1: its problems may differ"):
        client.restore("Sorting@99/1/2")
    with pytest.raises(UsageError, match="Sorting@99/1/2 is of version 99, this is version 1: its problems may differ"):
        client.score("Sorting@99/1/2", "x")
    with answering(404, b'{"detail": "Not Found"}') as old, pytest.raises(UsageError, match=f"GET {old}/v1/suites/c4: there is no such path"):
        Client(old).load_suite("c4")
    with answering(422, b'{"detail": "there is no key \\"details\\" here"}') as old, pytest.raises(UsageError, match="of another version"):
        Client(old).restore("Sorting@1/0/0")


def test_the_page_does_what_it_shows(tmp_path):
    page = (ROOT / "docs/serve.md").read_text(encoding="utf-8")
    (snippet,) = re.findall(r"^```python\n(.*?)^```", page, re.M | re.S)
    token = tmp_path / "token"
    token.write_text("secret")
    with Server(["--token-file", str(token)]) as server:
        names = {}
        exec(compile(snippet.replace("http://127.0.0.1:8000", server.url), "serve.md", "exec"), names)
    assert len(names["verdicts"]) > 150 and names["verdicts"].well_formed.any()
    assert names["again"].turns == 1 and names["again"].observation == names["episode"].observation


def test_a_body_that_is_too_large_is_not_sent(client):
    asked = {"N": 1, "array": ["x" * (65 << 20)]}
    with pytest.raises(UsageError, match="the request has 65 MiB, and a server takes 64; send it in several parts"):
        client.make("Sorting").restore(asked)
    with answering(413, b'{"detail": "too much"}') as url, pytest.raises(UsageError, match="too much"):
        Client(url).score("Sorting@1/0/0", "x")


def test_a_refusal_before_the_whole_body_is_read(tmp_path):
    token = tmp_path / "token"
    token.write_text("secret")
    with Server(["--token-file", str(token)]) as guarded:
        wrong = Client(guarded.url, token="wrong", patience=5)
        with pytest.raises(ServerError, match="a token is needed") as refused:
            wrong.score_many(["Sorting@1/2/0/s1"] * 500, ["x" * 16_000] * 500)
        assert refused.value.status == 401


def test_responses_of_any_size_are_sent_in_parts(client):
    texts = ["\x00" * (1 << 20)] * 12 + ["é" * (1 << 20)] * 3 + ["<answer>1</answer>"]
    assert [v.reward for v in client.score_many(["Sorting@1/2/0/s1"] * 16, texts)] == [-1.0] * 15 + [-0.5]


def test_async_variants(client):
    async def main():
        problems = await client.aio.generate_many("Sorting", 1, range(3))
        again = await client.aio.restore_many([p.address for p in problems])
        texts = [right(p) for p in again]
        verdicts = await asyncio.gather(client.aio.score_many(problems, texts), client.ascore_many(problems, texts, threads=1))
        bare = texts[0].removeprefix("<answer>").removesuffix("</answer>")
        alone = await asyncio.gather(client.aio.score(problems[0], texts[0]), problems[0].ascore(bare, raw=True),
                                     redqueen.aio.score(problems[0], bare, raw=True))
        episode = problems[0].start()
        observation, reward, terminated, _, _ = await client.aio.step(episode, texts[0])
        with pytest.raises(UsageError, match="there is no environment"):
            await client.aio.score_many(["Sortin@1/0/0"], ["x"])
        return verdicts, alone, (reward, terminated, episode.verdict().solved)

    verdicts, alone, (reward, terminated, solved) = asyncio.run(main())
    assert all(v.solved.all() and len(v) == 3 for v in verdicts) and all(v.solved for v in alone)
    assert (reward, terminated, solved) == (1.0, True, True)


def test_a_fault_of_one_request_ends_the_others(client):
    addresses = ["Sorting@1/0/0/s1"] * 600 + ["Sortin@1/0/0"] + ["Sorting@1/0/0/s1"] * 6000
    with pytest.raises(UsageError, match="Sortin@1/0/0: there is no environment"):
        client.score_many(addresses, ["x"] * len(addresses), threads=4)


def test_a_token_is_sent(tmp_path):
    token = tmp_path / "token"
    token.write_text("secret\n")
    with Server(["--token-file", str(token)]) as guarded:
        assert connect(guarded.url, token="secret").score("Sorting@1/2/0/s1", "x").reward == -1.0
        with pytest.raises(ServerError) as refused:
            connect(guarded.url, token="wrong")
        assert refused.value.status == 401


def _score_there(client):
    return client.score("Sorting@1/2/0/s1", "x").reward


def test_other_processes_get_a_client_of_their_own(client):
    client.score("Sorting@1/2/0/s1", "x")  # a connection that the child must not use
    with multiprocessing.get_context("fork").Pool(2) as pool:
        assert pool.map(_score_there, [client] * 4) == [-1.0] * 4
    copy = pickle.loads(pickle.dumps(client))
    assert copy.urls == client.urls and copy.score("Sorting@1/2/0/s1", "x").reward == -1.0


def _update_there(curriculum):
    batch = curriculum.next_batch(2)
    return curriculum.update(batch, [True] * 2), [p.address for p in batch]


def test_processes_that_were_forked_count_for_themselves(client):
    curriculum = client.Curriculum("Sorting", rollouts=1)
    mine = _update_there(curriculum)
    queue = multiprocessing.get_context("fork").SimpleQueue()
    children = [multiprocessing.get_context("fork").Process(target=lambda: queue.put(_update_there(curriculum))) for _ in range(2)]
    for child in children:
        child.start()
    got = [mine, *(queue.get() for _ in children)]
    for child in children:
        child.join()
    assert [counted for counted, _ in got] == [2, 2, 2]
    assert len({address for _, addresses in got for address in addresses}) == 6
    assert client._ask("GET", f"/v1/curricula/{curriculum.id}")["scored"] == 6


def test_a_trainer_that_goes_back_is_taught_nothing_twice(client):
    curriculum = client.Curriculum("Sorting", rollouts=1)
    _update_there(curriculum)
    saved = curriculum.state()
    _, first = _update_there(curriculum)
    curriculum.load(saved)
    _, again = _update_there(curriculum)
    assert again == first
    assert client._ask("GET", f"/v1/curricula/{curriculum.id}")["scored"] == 4
    _update_there(curriculum)
    assert client._ask("GET", f"/v1/curricula/{curriculum.id}")["scored"] == 6


def test_a_response_beyond_all_bounds_does_not_end_a_training(client):
    verdicts = client.score_many(["Sorting@1/2/0/s1"] * 2, ["x" * (1 << 20) + "y", "no"])
    assert [v.reward for v in verdicts] == [-1.0, -1.0]


def test_a_server_that_cannot_start_says_why():
    with pytest.raises(RuntimeError, match="no such|cannot|there is no"):
        Server(["--environments", "no-such-file.py"])


def test_a_curriculum_of_nothing_leaves_the_server_alive(server):
    there = connect(server.url, patience=5)
    for nothing in (",", ",,"):
        with pytest.raises(UsageError, match="no environment"):
            there.Curriculum(nothing).next_batch(1)
    assert there.Curriculum("Sorting").next_batch(1)

"""A cluster of three nodes on this machine: a server, an actor and a node die in the middle of 60,000 scores."""
import hashlib
import json
import os
import random
import re
import signal
import threading
import time

import pytest
from support import ROOT, package

ray = package("ray")
from ray.cluster_utils import Cluster  # noqa: E402

import redqueen.ray  # noqa: E402

SCORES, AT_ONCE, THREADS = 60_000, 20, 8


@pytest.fixture(scope="module")
def cluster():
    made = Cluster(initialize_head=True, head_node_args={"num_cpus": 1, "include_dashboard": False})
    for _ in range(2):
        made.add_node(num_cpus=3)
    ray.init(address=made.address, log_to_driver=False)
    made.wait_for_nodes()
    yield made
    ray.shutdown()
    made.shutdown()


@pytest.fixture(scope="module")
def batches():
    """Addresses and answers, some of which are right by chance."""
    rng = random.Random(1)
    names = ["Sorting", "Multiplication", "GCDOne_Counting"]
    return [([f"{rng.choice(names)}@1/{rng.randrange(6)}/{rng.randrange(10**6)}/s1" for _ in range(AT_ONCE)],
             [f"<answer>{rng.randrange(100)}</answer>" for _ in range(AT_ONCE)]) for _ in range(SCORES // AT_ONCE)]


def score_all(client, batches, disturb=None):
    """Digest of all rewards in order, how many there are, seconds, the longest that one batch took, and how many batches were not
    scored yet when `disturb` had done what it does."""
    results, todo, lock, stall, left = [None] * len(batches), iter(range(len(batches))), threading.Lock(), 0.0, 0
    third = threading.Event()

    def work():
        nonlocal stall
        while True:
            with lock:
                i = next(todo, None)
            if i is None:
                return
            if i == len(batches) // 3:
                third.set()
            started = time.monotonic()
            results[i] = [(v.reward, v.solved) for v in client.score_many(*batches[i])]
            with lock:
                stall = max(stall, time.monotonic() - started)

    started = time.monotonic()
    threads = [threading.Thread(target=work) for _ in range(THREADS)]
    for thread in threads:
        thread.start()
    third.wait()
    if disturb:
        disturb()
        left = results.count(None)
    for thread in threads:
        thread.join()
    digest = hashlib.sha256(json.dumps(results).encode()).hexdigest()
    return digest, sum(map(len, results)), time.monotonic() - started, stall, left


def wait_for_all(fleet, count, seconds=60):
    give_up = time.monotonic() + seconds
    while time.monotonic() < give_up:
        places = fleet.places()
        if all(places) and len(places) == count:
            return places
        time.sleep(0.2)
    raise AssertionError(f"the fleet is not whole again: {fleet.places()}")


def kill_server(fleet, cluster):
    process = fleet.places()[0]["process"]
    return lambda: os.kill(process, signal.SIGKILL)


def kill_actor(fleet, cluster):
    process = ray.get(fleet._actors[0].__ray_call__.remote(lambda self: os.getpid()))
    return lambda: os.kill(process, signal.SIGKILL)


def kill_node(fleet, cluster):
    """A worker node on which there is a server."""
    used = {place["node"] for place in fleet.places()}
    names = {node["RayletSocketName"]: node["NodeID"] for node in ray.nodes() if node["Alive"]}
    node = next(node for node in cluster.worker_nodes if names[node.raylet_socket_name] in used)
    return lambda: cluster.remove_node(node, allow_graceful=False)


def test_nothing_is_lost_and_nothing_counts_twice(cluster, batches, tmp_path, capsys):
    with redqueen.ray.Fleet(replicas=3, host="127.0.0.1", state=str(tmp_path / "curricula.db")) as fleet:
        client = fleet.client(interval=0.2)
        assert len(ray.nodes()) == 3 and len({place["node"] for place in fleet.places()}) > 1
        curriculum = client.Curriculum("Sorting", id="c", rollouts=1)
        told = []

        def tell():
            while not stop.is_set():
                batch = curriculum.next_batch(4)
                told.append(curriculum.update(batch, [True] * 4))

        stop = threading.Event()
        teller = threading.Thread(target=tell)
        teller.start()
        undisturbed = score_all(client, batches)
        report = [("undisturbed", undisturbed)]
        for what, kill in {"a server": kill_server, "an actor": kill_actor, "a node": kill_node}.items():
            before = wait_for_all(fleet, 3)
            run = score_all(client, batches, kill(fleet, cluster))
            report.append((f"{what} killed", run))
            after = wait_for_all(fleet, 3)
            assert {place["process"] for place in after} != {place["process"] for place in before}, what
        assert sum(node["Alive"] for node in ray.nodes()) == 2
        stop.set()
        teller.join()
        for what, (digest, count, seconds, stall, left) in report:
            with capsys.disabled():
                print(f"\n{what}: {count} scores in {seconds:.2f} s, longest batch {1000 * stall:.0f} ms, {left} batches left at the "
                      f"kill, digest {digest[:16]}", end="")
            assert (digest, count) == (undisturbed[0], SCORES), what
            assert left > 0 or what == "undisturbed", what
        assert set(told) == {4}
        scored = client._ask("GET", "/v1/curricula/c", of=lambda: client.owner)["scored"]
        assert scored == sum(told)  # through three deaths, each message counted once


def test_a_fleet_is_found_by_its_name(cluster):
    with redqueen.ray.Fleet(replicas=1, host="127.0.0.1") as fleet:
        with redqueen.ray.Fleet.attach(fleet.name) as attached:
            assert attached.client().score("Sorting@1/2/0/s1", "no").reward == -1.0
        assert fleet.places()[0]

        @ray.remote(num_cpus=0)
        def elsewhere(client):
            return client.score("Sorting@1/2/0/s1", "no").reward

        assert ray.get(elsewhere.remote(fleet.client())) == -1.0


def test_a_large_data_set_is_made_by_address(cluster):
    package("pyarrow")
    with redqueen.ray.Fleet(replicas=1, host="127.0.0.1") as fleet:
        made = redqueen.ray.dataset(fleet, "Sorting,Multiplication", [0, 1], 2500, seed=3, batch_size=400)
        rows = sorted(made.take_all(), key=lambda row: (row["seed"], row["level"], row["environment"] == "Multiplication"))
        expected = fleet.client().dataset("Sorting,Multiplication", [0, 1], 2500, seed=3, as_list=True)
        assert [row["address"] for row in rows] == [row["address"] for row in expected]


def test_the_page_does_what_it_shows(cluster, tmp_path):
    page = (ROOT / "docs/scale.md").read_text(encoding="utf-8")
    snippet = next(s for s in re.findall(r"^```python\n(.*?)^```", page, re.M | re.S) if "Fleet(" in s)
    small = snippet.replace("ray.init()\n", "").replace("replicas=8", 'replicas=1, host="127.0.0.1"').replace("/shared", str(tmp_path))
    names = {"problems": ["Sorting@1/2/0/s1"] * 2, "texts": ["no", "<answer>1</answer>"]}
    exec(compile(small, "scale.md", "exec"), names)
    assert list(names["rewards"]) == [-1.0, -0.5]

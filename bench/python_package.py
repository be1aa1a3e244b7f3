#!/usr/bin/env python3
"""PYTHONPATH=build/python .venv/bin/python bench/python_package.py [ROUNDS]: what a score costs through the Python package.

Responses of 950 bytes to Sorting at level 2, on one thread; the quickest and the median of many short rounds (200), of which
the first is what the work takes where nobody else wants the core. Empty responses give the engine next to nothing to do, so
their time is that of the package itself. By address, as trainers score: the problem is made again, once for all responses of
a group."""
import statistics
import sys
import time

import redqueen as rq

COUNT = 2_000


def microseconds(work, count, rounds):
    """The quickest round and the median, each for one of `count`."""
    times = []
    for _ in range(rounds):
        begun = time.perf_counter()
        work()
        times.append((time.perf_counter() - begun) / count * 1e6)
    return min(times), statistics.median(times)


def main(rounds=200):
    env = rq.make("Sorting")
    problems = [env.generate(level=2, seed=seed) for seed in range(200)]
    texts = []
    for problem in problems:
        end = f"<answer>{problem.reference}</answer>"
        texts.append(("I compare neighbours and swap them. " * 40)[: 950 - len(end)] + end)
    assert all(len(text) == 950 for text in texts) and rq.score_many(problems, texts).solved.all()
    many, long = problems * (COUNT // 200), texts * (COUNT // 200)
    empty = [""] * COUNT
    addresses = [f"Sorting@1/2/{seed}/s1" for seed in range(COUNT)]
    groups = [addresses[i // 8] for i in range(COUNT)]
    problem, text = problems[0], texts[0]

    def single():
        score = problem.score
        for _ in range(COUNT):
            score(text)

    def single_empty():
        score = problem.score
        for _ in range(COUNT):
            score("")

    def single_raw():
        score, answer = problem.score, problem.reference
        for _ in range(COUNT):
            score(answer, True)

    def generate():
        for seed in range(500):
            env.generate(level=2, seed=seed).prompt

    for name, work, count in (
        ("score_many, 950 bytes", lambda: rq.score_many(many, long, threads=1), COUNT),
        ("score_many, empty", lambda: rq.score_many(many, empty, threads=1), COUNT),
        ("score_many by address", lambda: rq.score_many(addresses, long, threads=1), COUNT),
        ("score_many, groups of 8", lambda: rq.score_many(groups, long, threads=1), COUNT),
        ("score, 950 bytes", single, COUNT),
        ("score, bare answers", single_raw, COUNT),
        ("score, empty", single_empty, COUNT),
        ("generate and prompt", generate, 500),
    ):
        quickest, median = microseconds(work, count, rounds)
        print(f"{name:24} {quickest:7.3f} µs  (median {median:.3f})")


main(*map(int, sys.argv[1:]))

#!/usr/bin/env python3
"""PYTHONPATH=build/python .venv/bin/python bench/python_package.py: what a score costs through the Python package.

Responses of 950 bytes to Sorting at level 2, on one thread; the quickest and the median of many short rounds, of which the
first is what the work takes where nobody else wants the core. Empty responses give the engine next to nothing to do, so their
time is that of the package itself."""
import statistics
import time

import redqueen as rq

ROUNDS = 200
COUNT = 2_000


def microseconds(work, count):
    """The quickest round and the median, each for one of `count`."""
    times = []
    for _ in range(ROUNDS):
        begun = time.perf_counter()
        work()
        times.append((time.perf_counter() - begun) / count * 1e6)
    return min(times), statistics.median(times)


def main():
    env = rq.make("Sorting")
    problems = [env.generate(level=2, seed=seed) for seed in range(200)]
    texts = []
    for problem in problems:
        end = f"<answer>{problem.reference}</answer>"
        texts.append(("I compare neighbours and swap them. " * 40)[: 950 - len(end)] + end)
    assert all(len(text) == 950 for text in texts) and rq.score_many(problems, texts).solved.all()
    many, long = problems * (COUNT // 200), texts * (COUNT // 200)
    empty = [""] * COUNT
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
        ("score, 950 bytes", single, COUNT),
        ("score, bare answers", single_raw, COUNT),
        ("score, empty", single_empty, COUNT),
        ("generate and prompt", generate, 500),
    ):
        quickest, median = microseconds(work, count)
        print(f"{name:24} {quickest:7.3f} µs  (median {median:.3f})")


main()

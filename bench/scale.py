#!/usr/bin/env python3
"""PYTHONPATH=build/python .venv/bin/python bench/scale.py build/redqueen: what one request costs a server and its client in Python,
and what a job of 1,000 GPUs asks for by these figures. Prints both tables of docs/scale.md.

One server process and one client, one connection, CPU time of both (not the clock's), so that other work on the machine counts
little. Problems are those of the suite c16 at levels 0 to 2, eight responses to each. --seconds: for each measurement."""
import argparse
import os
import pathlib
import time

import redqueen
from redqueen.server import Server

GROUP = 8  # responses to a problem
BATCH = 512
GPUS, GENERATING, TOKENS_A_SECOND, BYTES_A_TOKEN = 1_000, 0.5, 3_000, 4
LONG, SHORT = 2_000, 240  # tokens of a response
PROGRAM_SECONDS = 0.05
DOLLARS_A_CORE, DOLLARS_A_GPU = 0.04, 2.0  # an hour
REPLICAS, CORES_A_REPLICA = 3, 2  # deploy/kubernetes.yaml


def server_seconds(process):
    """CPU time of all threads of a process, in steps of a nanosecond."""
    return sum(int(task.read_text().split()[0]) for task in pathlib.Path(f"/proc/{process}/task").glob("*/schedstat")) / 1e9


def tree_seconds(process):
    """CPU time of a process and of all below it, those that have ended included, in steps of the kernel's clock."""
    ticks, parents = {}, {}
    for folder in pathlib.Path("/proc").glob("[0-9]*"):
        try:
            fields = (folder / "stat").read_text().rpartition(")")[2].split()
        except OSError:  # it has ended
            continue
        parents[int(folder.name)], ticks[int(folder.name)] = int(fields[1]), sum(map(int, fields[11:15]))
    mine = {process}
    while more := {one for one, parent in parents.items() if parent in mine} - mine:
        mine |= more
    return sum(ticks[one] for one in mine) / os.sysconf("SC_CLK_TCK")


def measured(process, seconds, work, cpu=server_seconds):
    """CPU seconds of the server and of this process, and those of the clock, for each of what work() says it has done."""
    work()  # connections, costs that the server learns
    done, ours, theirs, begun = 0, time.process_time(), cpu(process), time.monotonic()
    while time.monotonic() - begun < seconds or done == 0:
        done += work()
    return (cpu(process) - theirs) / done, (time.process_time() - ours) / done, (time.monotonic() - begun) / done


def scores(client, size, at_once):
    """A work() that scores one request of `at_once` responses of so many bytes."""
    problems = [problem.address for problem in client.select("c16", [0, 1, 2], BATCH // GROUP) for _ in range(GROUP)]
    texts = [("I compare the numbers and think it over. " * (size // 41 + 1))[: size - 20] + f"<answer>{i:03}</answer>" for i in range(BATCH)]
    requests = [(problems[i:i + at_once], texts[i:i + at_once]) for i in range(0, BATCH, at_once)]
    turn = iter(lambda: requests[next(numbers) % len(requests)], None)
    numbers = iter(range(1 << 60))

    def work():
        client.score_many(*next(turn))
        return at_once

    return work


def curriculum_step(client):
    curriculum = client.Curriculum("c16", seed=0, rollouts=GROUP)

    def work():
        batch = curriculum.next_batch(128)
        curriculum.update([problem for problem in batch for _ in range(GROUP)], [False] * (128 * GROUP))
        return 1

    return work


def problems(client):
    seeds = iter(range(0, 1 << 60, 64))

    def work():
        return len([*client.select("c16", [0, 1, 2], 256, seed=next(seeds))])

    return work


def programs(client):
    def work():
        client._ask("POST", "/run_code", {"language": "python", "code": "pass", "run_timeout": 5})
        return 1

    return work


def micro(seconds):
    us = seconds * 1e6
    return f"{us:.2g} µs" if us < 10 else f"{us:.0f} µs" if us < 1_000 else f"{us / 1e3:.1f} ms"


def number(value):
    return f"{value:,.0f}" if value >= 10 else f"{value:.2g}"


def measure(binary, seconds):
    options = ["--threads", "1", "--set", "sandbox.require=standard"]
    with Server(options, program=binary) as server:
        client = redqueen.connect(server.url)
        process = server.process.pid
        figures = {name: measured(process, seconds, work) for name, work in {
            "batch, 960": scores(client, 4 * SHORT, BATCH),
            "batch, 8000": scores(client, 4 * LONG, BATCH),
            "alone, 960": scores(client, 4 * SHORT, 1),
            "alone, 8000": scores(client, 4 * LONG, 1),
            "problem": problems(client),
            "step": curriculum_step(client),
        }.items()}
        return {**figures, "program": measured(process, seconds, programs(client), tree_seconds)}


def first_table(figures):
    yield "| | server, CPU | client in Python, CPU |"
    yield "| --- | ---: | ---: |"
    for name, title in (("batch, 960", "a score in a batch of 512, response of 960 bytes"), ("batch, 8000", "the same, 8,000 bytes"),
                        ("alone, 960", "a score alone, 960 bytes"), ("alone, 8000", "the same, 8,000 bytes"),
                        ("problem", "a problem, in requests for 256")):
        server, client, _ = figures[name]
        yield f"| {title} | {micro(server)} | {micro(client)} |"
    server, client, _ = figures["step"]
    yield f"| a step of a curriculum: 128 problems drawn, 1,024 outcomes told | {micro(server)} | {micro(client)} |"
    yield f"| a program in the sandbox that does nothing, by `/run_code` | {micro(figures['program'][0])} | {micro(figures['program'][1])} |"


def second_table(figures):
    rates = [GPUS * GENERATING * TOKENS_A_SECOND / tokens for tokens in (LONG, SHORT)]
    sizes = ["8000", "960"]

    def row(title, values):
        return f"| {title} | " + " | ".join(values) + " |"

    def cores(name, part):
        return [number(rate * figures[f"{name}, {size}"][part]) for rate, size in zip(rates, sizes)]

    steps = [rate / (128 * GROUP) for rate in rates]
    sandboxed = [rate * (PROGRAM_SECONDS + figures["program"][0]) for rate in rates]
    yield row("each second", [f"long thoughts: {LONG:,} tokens", f"short answers: {SHORT} tokens"])
    yield "| --- | ---: | ---: |"
    yield row("responses a second", [f"{rate:,.0f}" for rate in rates])
    yield row("requests a second, each alone; in batches of 512", [f"{rate:,.0f}; {number(rate / BATCH)}" for rate in rates])
    yield row("into the servers", [f"{rate * tokens * BYTES_A_TOKEN / 1e6:.0f} MB/s" for rate, tokens in zip(rates, (LONG, SHORT))])
    yield row("scores, each alone: server", [f"{c} cores" for c in cores("alone", 0)])
    yield row("scores, in batches: server", [f"{c} cores" for c in cores("batch", 0)])
    yield row("scores, each alone: clients, over all trainer processes", [f"{c} cores" for c in cores("alone", 1)])
    yield row("scores, in batches: clients", [f"{c} cores" for c in cores("batch", 1)])
    yield row("problems a second, in groups of 8", [number(rate / GROUP) for rate in rates])
    yield row("making them: server", [f"{number(rate / GROUP * figures['problem'][0])} cores" for rate in rates])
    yield row("the curriculum's owner", [f"{number(step * figures['step'][0])} cores" for step in steps])
    yield row(f"if every answer is a program that runs for {PROGRAM_SECONDS * 1e3:.0f} ms", [f"{number(c)} cores" for c in sandboxed])
    hour = REPLICAS * CORES_A_REPLICA * DOLLARS_A_CORE
    yield row(f"{REPLICAS} replicas of {CORES_A_REPLICA} cores, at ${DOLLARS_A_CORE} a core and hour", [f"${hour:.2f} an hour"] * 2)
    yield row("the programs' cores besides", [f"${c * DOLLARS_A_CORE:.2f} an hour" for c in sandboxed])
    yield row(f"the GPUs, at ${DOLLARS_A_GPU:.0f} each", [f"${GPUS * DOLLARS_A_GPU:,.0f} an hour"] * 2)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("binary")
    parser.add_argument("--seconds", type=float, default=5.0)
    options = parser.parse_args()
    figures = measure(os.path.abspath(options.binary), options.seconds)
    print(*first_table(figures), "", *second_table(figures), sep="\n")


if __name__ == "__main__":
    main()

#!/usr/bin/env python3
"""`redqueen bench gym` beside the published Python of RLVE: the same environments, in one run, one core each.

Both make problems of one level (generate, prompt, score the reference) until the time is up, one environment after the
other, so that what else the machine does weighs on both alike. The Python side calls the generator itself: without the
thread and the seeding of three libraries that its harness adds to every problem.

    bench/rlve_compare.py CHECKOUT [NAME…] [--level 3] [--published] [--seconds 0.2] [--redqueen build/redqueen] [--json]
    bench/rlve_compare.py --page ROWS.jsonl > docs/rlve-speed.md

CHECKOUT is the root of a checkout of https://github.com/Zhiyuan-Zeng/RLVE; its imports (torch, numpy, networkx, sympy)
have to be at hand. Our side makes problems of NAME, or with --published of NAME:published. Prints problems per second of both, slowest ratio first, and the geometric mean of the ratios. --page
measures nothing: it makes the page of the documentation from what --json wrote; scripts/check_speed reads it.
"""
import argparse
import copy
import json
import math
import pathlib
import random
import signal
import subprocess
import sys
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent


class TooLong(Exception):
    pass


def give_up(*_):
    raise TooLong


def native(options, *arguments):
    output = subprocess.run([options.redqueen, *arguments], check=True, capture_output=True, text=True).stdout
    return [json.loads(line) for line in output.splitlines() if line.startswith("{")]


def native_rate(options, name):
    form = f"{name}:published" if options.published else name
    rows = native(options, "bench", "gym", form, "--levels", str(options.level), "--seconds", str(options.seconds), "--json")
    return rows[0] if rows else None


def published_problem(make, parameters, seed):
    """One problem's life: nothing is timed that is not part of it."""
    environment = make()
    parameter = copy.deepcopy(random.Random(seed).choice(parameters))
    random.seed(seed)
    start = time.perf_counter()
    environment.seed, environment.parameter = seed, parameter
    environment._generate()
    if environment.parameter is None:
        return None
    environment.prompt_generator()
    spent = time.perf_counter() - start
    reference = environment.parameter.get("reference_answer")
    if reference is not None:
        output = f"<answer>{reference}</answer>"
        start = time.perf_counter()
        environment.verifier(output)
        spent += time.perf_counter() - start
    return spent


def published_rate(options, make, controller):
    for _ in range(options.level):
        controller.update()
    parameters = controller.get_parameter_list()
    problems, spent, seed = 0, 0.0, 0
    end = time.perf_counter() + options.seconds
    signal.alarm(options.patience)
    try:
        while time.perf_counter() < end or problems == 0:
            seconds = published_problem(make, parameters, seed)
            seed += 1
            if seconds is not None:
                problems, spent = problems + 1, spent + seconds
    except (TooLong, AssertionError):
        pass
    finally:
        signal.alarm(0)
    return problems / spent if problems else None


def geometric_mean(values):
    return math.exp(sum(map(math.log, values)) / len(values)) if values else float("nan")


def compare(options, names, environments, controllers):
    for name in names:
        ours = native_rate(options, name)
        theirs = published_rate(options, environments[name], controllers[name]())
        if ours is None or theirs is None or ours["problems_per_second"] <= 0:
            print(f"{name}: nothing to compare at this level", file=sys.stderr)
            continue
        yield {**ours, "environment": name, "published_per_second": theirs, "ratio": ours["problems_per_second"] / theirs}


PAGE = """# The gym beside the published one, environment by environment

Made by `bench/rlve_compare.py --page` from one run at level {level}; [performance](performance.md#the-gym-beside-the-published-one)
says how it was measured and what to make of it. Microseconds a problem; *times* is the published total over ours. In the
geometric mean of {count} environments it is {mean:.1f}.

| environment | times | published | ours | of it generation | prompt | score |
| --- | ---: | ---: | ---: | ---: | ---: | ---: |
"""


def print_page(path):
    rows = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
    rows.sort(key=lambda row: row["ratio"])
    print(PAGE.format(level=rows[0]["level"], count=len(rows), mean=geometric_mean([row["ratio"] for row in rows])), end="")
    for row in rows:
        print(f"| {row['environment']} | {row['ratio']:.2f} | {1e6 / row['published_per_second']:.1f} | "
              f"{1e6 / row['problems_per_second']:.1f} | {row['generate_us']:.1f} | {row['prompt_us']:.1f} | {row['score_us']:.1f} |")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("checkout", type=pathlib.Path, nargs="?")
    parser.add_argument("names", nargs="*")
    parser.add_argument("--published", action="store_true", help="measure NAME:published, not NAME")
    parser.add_argument("--level", type=int, default=3)
    parser.add_argument("--seconds", type=float, default=0.2, help="per environment and side")
    parser.add_argument("--patience", type=int, default=20, help="seconds for one environment of the published side")
    parser.add_argument("--redqueen", default=ROOT / "build/redqueen")
    parser.add_argument("--json", action="store_true", help="one JSON object a line, as they are measured")
    parser.add_argument("--page", type=pathlib.Path, metavar="ROWS", help="make the page from what --json wrote; measure nothing")
    options = parser.parse_args()
    if options.page:
        print_page(options.page)
        return
    if not options.checkout:
        parser.error("name a checkout of RLVE to compare with, or rows for --page")
    sys.path.insert(0, str(options.checkout.resolve()))
    from Gym.environments import identifier2environment as environments
    from Gym.parameter_controllers import identifier2controller as controllers
    signal.signal(signal.SIGALRM, give_up)
    listed = [row["name"] for row in native(options, "gym", "list", "--json")]
    wanted = options.names or listed
    names = [name for name in wanted if name in listed and name in environments]
    measured = compare(options, names, environments, controllers)
    if options.json:
        for row in measured:
            print(json.dumps(row), flush=True)
        return
    rows = sorted(measured, key=lambda row: row["ratio"])
    print(f"{'environment':<46} {'ratio':>7} {'ours/s':>11} {'published/s':>11} {'generate':>9} {'prompt':>7} {'score':>7}  µs")
    for row in rows:
        print(f"{row['environment']:<46} {row['ratio']:>7.1f} {row['problems_per_second']:>11.0f} "
              f"{row['published_per_second']:>11.0f} {row['generate_us']:>9.2f} {row['prompt_us']:>7.2f} {row['score_us']:>7.2f}")
    ratios = [row["ratio"] for row in rows]
    print(f"\n{len(rows)} environments at level {options.level}: geometric mean {geometric_mean(ratios):.1f}; "
          f"below 10: {sum(ratio < 10 for ratio in ratios)}, below 20: {sum(ratio < 20 for ratio in ratios)}")


if __name__ == "__main__":
    main()

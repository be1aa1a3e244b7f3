#!/usr/bin/env python3
"""Compares the problems of `redqueen gym generate` with those of the published Python of RLVE, environment by environment.

Both sides draw problems of the same levels. Each problem becomes numbers: for every key of its parameter that both sides
have, and for its reference answer, the value or, of lists, texts and tables, the size, the mean, the extremes, the number of
different values and the share of ascending neighbours. The two samples of each number are compared by the two-sample
Kolmogorov-Smirnov test; a number differs if its p-value, multiplied by the number of tests (Bonferroni), is below 0.001. Numbers of
the reference are left out where docs/published.md says that it has another one.

    bench/rlve_distribution.py CHECKOUT [NAME…] [--levels 0,2,5,10] [--draws 200] [--hardened] [--samples FOLDER]

CHECKOUT is the root of a checkout of https://github.com/Zhiyuan-Zeng/RLVE. Our side draws NAME:published, or NAME with
--hardened. FOLDER keeps what the published side drew, which is slow, for later calls. Exits with 1 if an environment differs.
"""
import argparse
import gzip
import json
import math
import pathlib
import random
import signal
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
SIGNIFICANCE = 0.001


class TooLong(Exception):
    pass


def give_up(*_):
    raise TooLong


def numbers_of(value):
    """All numbers within a value, in order; texts as the codes of their characters."""
    if isinstance(value, bool):
        return [int(value)]
    if isinstance(value, (int, float)):
        return [value]
    if isinstance(value, str):
        return [ord(character) for character in value]
    if isinstance(value, dict):
        return [number for key in sorted(value, key=str) for number in numbers_of(value[key])]
    if isinstance(value, (list, tuple, set, frozenset)):
        return [number for item in value for number in numbers_of(item)]
    return []


def summary(key, value):
    if isinstance(value, (bool, int, float)):
        return {key: float(value)} if abs(value) < 1e300 else {}
    if value is None or not isinstance(value, (str, dict, list, tuple, set, frozenset)):
        return {}
    try:
        numbers = [float(number) for number in numbers_of(value)]
    except OverflowError:
        return {f"{key}.size": float(len(value))}
    found = {f"{key}.size": float(len(value)), f"{key}.numbers": float(len(numbers))}
    if numbers:
        ascending = sum(a < b for a, b in zip(numbers, numbers[1:]))
        found |= {
            f"{key}.mean": math.fsum(numbers) / len(numbers), f"{key}.least": min(numbers), f"{key}.most": max(numbers),
            f"{key}.different": float(len(set(numbers))),
        }
        if len(numbers) > 1:
            found[f"{key}.ascending"] = ascending / (len(numbers) - 1)
    return found


def answer_value(answer):
    """A reference answer as a number where it is one, else as its text."""
    text = answer if isinstance(answer, str) else " ".join(str(answer).split())
    try:
        return float(text)
    except ValueError:
        return text


def problem_summary(parameter, answer):
    found = {}
    for key, value in parameter.items():
        found |= summary(key, value)
    if answer is not None:
        found |= summary("(answer)", answer_value(answer))
    return found


def native_problems(options, name, level):
    form = name if options.hardened else f"{name}:published"
    command = [options.redqueen, "gym", "generate", form, "--level", str(level), "--count", str(options.draws)]
    output = subprocess.run(command, capture_output=True, text=True)
    rows = [json.loads(line) for line in output.stdout.splitlines() if line.startswith("{")]
    return [problem_summary(row["parameter"], row.get("reference")) for row in rows]


def published_samples(options, name, level):
    """What published_problems() makes, kept in a file."""
    file = options.samples / f"{name}-{level}-{options.draws}.json.gz"
    if file.exists():
        return json.loads(gzip.decompress(file.read_bytes()))
    from Gym.environments import identifier2environment
    from Gym.parameter_controllers import identifier2controller
    found = published_problems(options, identifier2environment[name], identifier2controller[name](), level)
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_bytes(gzip.compress(json.dumps(found).encode(), 6))
    return found


def published_problems(options, make, controller, level):
    for _ in range(level):
        controller.update()
    parameters = controller.get_parameter_list()
    found, seed = [], 0
    signal.alarm(options.patience)
    try:
        while len(found) < options.draws and seed < 3 * options.draws:
            environment = make()
            parameter = dict(random.Random(f"{level} {seed}").choice(parameters))
            random.seed(seed)
            environment.seed, environment.parameter = seed, parameter
            seed += 1
            try:
                environment._generate()
            except AssertionError:
                continue
            if environment.parameter is not None:
                made = {key: value for key, value in environment.parameter.items() if not key.startswith("reference_answer")}
                found.append(problem_summary(made, environment.parameter.get("reference_answer")))
    except TooLong:
        pass
    finally:
        signal.alarm(0)
    return found


def kolmogorov_smirnov(left, right):
    """The asymptotic p-value of the two-sample test and the greatest distance of the distributions."""
    left, right = sorted(left), sorted(right)
    i = j = 0
    distance = 0.0
    while i < len(left) and j < len(right):
        value = min(left[i], right[j])
        while i < len(left) and left[i] == value:
            i += 1
        while j < len(right) and right[j] == value:
            j += 1
        distance = max(distance, abs(i / len(left) - j / len(right)))
    effective = math.sqrt(len(left) * len(right) / (len(left) + len(right)))
    scaled = (effective + 0.12 + 0.11 / effective) * distance
    if scaled < 0.2:
        return 1.0, distance
    p = 2 * math.fsum((-1) ** (k - 1) * math.exp(-2 * k * k * scaled * scaled) for k in range(1, 101))
    return min(1.0, max(0.0, p)), distance


def quantiles(values):
    ordered = sorted(values)
    return [ordered[min(len(ordered) - 1, int(share * len(ordered)))] for share in (0.1, 0.5, 0.9)]


def compare(options, name, level):
    published = published_samples(options, name, level)
    native = native_problems(options, name, level)
    row = {"environment": name, "level": level, "native": len(native), "published": len(published), "tests": []}
    if not native or not published:
        return row
    keys = {key for problem in native for key in problem} & {key for problem in published for key in problem}
    row["only_published"] = sorted({key.split(".")[0] for problem in published for key in problem} -
                                   {key.split(".")[0] for problem in native for key in problem})
    for key in sorted(keys):
        left = [problem[key] for problem in native if key in problem]
        right = [problem[key] for problem in published if key in problem]
        p, distance = kolmogorov_smirnov(left, right)
        row["tests"].append({"key": key, "p": p, "distance": distance, "native": quantiles(left), "published": quantiles(right)})
    return row


def not_compared():
    """Keys of environments whose other text docs/published.md explains: {name: prefixes of keys}."""
    keys = {}
    for line in (ROOT / "docs/published.md").read_text().splitlines():
        cells = [cell.strip() for cell in line.strip("|").split("|")]
        if len(cells) < 2:
            continue
        if "other reference" in cells[1]:
            keys[cells[0]] = ("(answer)",)
        if "own wording" in cells[1]:
            keys[cells[0]] = ("(answer)", "names", "quiz")
    return keys


def report(rows):
    explained = not_compared()
    for row in rows:
        row["tests"] = [test for test in row["tests"] if not test["key"].startswith(explained.get(row["environment"], "-"))]
    tests = sum(len(row["tests"]) for row in rows) or 1
    differing = {}
    for row in rows:
        for test in row["tests"]:
            if test["p"] * tests < SIGNIFICANCE:
                differing.setdefault(row["environment"], []).append((row["level"], test))
    names = sorted({row["environment"] for row in rows})
    for name in names:
        empty = [f"{row['level']} ({row['native']} native, {row['published']} published)"
                 for row in rows if row["environment"] == name and not row["tests"]]
        if empty:
            print(f"{name}: nothing to compare at level {', '.join(empty)}")
    for name, found in sorted(differing.items()):
        print(name)
        for level, test in found:
            print(f"  level {level:>2}  {test['key']:<28} D {test['distance']:.2f}  "
                  f"native {test['native']}  published {test['published']}")
    print(f"{len(names)} environments, {tests} tests: {len(differing)} environments differ")
    return differing


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("checkout", type=pathlib.Path)
    parser.add_argument("names", nargs="*")
    parser.add_argument("--levels", default="0,2,5,10")
    parser.add_argument("--draws", type=int, default=200)
    parser.add_argument("--samples", type=pathlib.Path, default=pathlib.Path("rlve-samples"))
    parser.add_argument("--hardened", action="store_true", help="compare the hardened generator, not the published form")
    parser.add_argument("--record", action="store_true", help="only draw and keep the published side")
    parser.add_argument("--patience", type=int, default=60, help="seconds for an environment and level of the published side")
    parser.add_argument("--rows", type=pathlib.Path, help="write each environment and level as a JSON line to this file")
    parser.add_argument("--redqueen", default=ROOT / "build/redqueen")
    options = parser.parse_args()
    sys.path.insert(0, str(options.checkout.resolve()))
    names = options.names
    if not names:
        from Gym.environments import identifier2environment
        names = sorted(identifier2environment)
    signal.signal(signal.SIGALRM, give_up)
    levels = [int(level) for level in options.levels.split(",")]
    if options.record:
        for name in names:
            for level in levels:
                published_samples(options, name, level)
        return
    rows = [compare(options, name, level) for name in names for level in levels]
    if options.rows:
        options.rows.write_text("".join(json.dumps(row) + "\n" for row in rows))
    sys.exit(1 if report(rows) else 0)


if __name__ == "__main__":
    main()

#!/usr/bin/env python3
"""The arena's judge beside EvoPolicyGym v0.1.0, in one run: the same public cases, the same policies, the same held-out means; how long
each takes to close a run and to play its submissions.

    bench/arena_peer.py CHECKOUT [--only CartPole-v1] [--submissions 8] [--redqueen build/redqueen]

CHECKOUT is the other's source tree at its tag v0.1.0. Its dependencies (numpy, gymnasium, mujoco, minigrid; box2d and pygame-ce for
CarRacing) are taken from the Python that runs this script (.venv/bin/python). Both sides use the machine as they do by default."""
import argparse
import datetime
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent

BALANCE = """
class Policy:
    def __init__(self, obs_space, action_space, env_meta):
        pass

    def reset(self, episode_index):
        pass

    def act(self, obs):
        place, speed, angle, spin = obs
        return 1 if angle + spin + 0.05 * place + 0.1 * speed > 0 else 0
"""
SINES = """
import math


class Policy:
    def __init__(self, obs_space, action_space, env_meta):
        self.t = 0

    def reset(self, episode_index):
        self.t = 0

    def act(self, obs):
        self.t += 1
        return [0.6 * math.sin(0.4 * self.t + phase) for phase in range(6)]
"""
WALK = """
class Policy:
    def __init__(self, obs_space, action_space, env_meta):
        self.turns = 0

    def reset(self, episode_index):
        self.turns = 0

    def act(self, obs):
        image = obs['image']
        for column in range(7):
            for row in range(7):
                if image[column][row][0] == 8:
                    return 2 if column == 3 else 0 if column < 3 else 1
        if image[3][5][0] in (1, 3, 8):
            return 2
        self.turns += 1
        return 0 if self.turns % 7 else 1
"""
DRIVE = """
class Policy:
    def __init__(self, obs_space, action_space, env_meta):
        self.t = 0

    def reset(self, episode_index):
        self.t = 0

    def act(self, obs):
        self.t += 1
        road = sum(obs[66][48 + side][1] - obs[66][48 - side][1] for side in range(1, 30))
        return [-0.3 if road > 0 else 0.3, 0.1 if self.t % 4 == 0 else 0.0, 0.0]
"""
# id: (v0.1.0's name, policy, episodes of a submission, validation cases, held-out cases)
TASKS = {
    "CartPole-v1": ("gym/cartpole", BALANCE, 16, 16, 32),
    "HalfCheetah-v5": ("gym/halfcheetah5", SINES, 16, 16, 32),
    "MiniGrid-FourRooms-v0": ("gymnasium/MiniGrid-FourRooms-v0", WALK, 16, 16, 32),
    "CarRacing-v3": ("gym/racing", DRIVE, 1, 1, 1),
}
AGENT = """
import json, os, pathlib, sys, time, urllib.request
sys.stdin.readline()
pathlib.Path(os.environ['EVOPOLICYGYM_SYSTEM'], 'policy.py').write_text({policy!r})
times = []
for number in range({submissions}):
    body = json.dumps({{'env_instances': list(range(number * {episodes}, (number + 1) * {episodes}))}}).encode()
    begin = time.monotonic()
    urllib.request.urlopen(urllib.request.Request(os.environ['EVOPOLICYGYM_SUBMIT_URL'], body)).read()
    times.append(time.monotonic() - begin)
pathlib.Path({note!r}).write_text(json.dumps(times))
print(json.dumps({{'text': 'done'}}), flush=True)
"""


def seconds_between(log, first, last):
    """Of two events of a harness.log."""
    at = {}
    for line in log.read_text().splitlines():
        event = json.loads(line)
        stamp = event.get("at") or event["timestamp"]
        at[event["event"]] = datetime.datetime.fromisoformat(stamp.replace("Z", "+00:00"))
    return (at[last] - at[first]).total_seconds()


def play(command, folder, policy, submissions, episodes, environment=None):
    """Runs one judge with an agent that submits `policy`. Seconds of the whole run, and of each submission."""
    folder.mkdir(parents=True)
    agent = folder / "agent.py"
    note = folder / "times.json"
    agent.write_text(AGENT.format(policy=policy, submissions=submissions, episodes=episodes, note=str(note)))
    begin = time.monotonic()
    done = subprocess.run([*map(str, command), "--", sys.executable, str(agent)], capture_output=True, text=True, cwd=ROOT,
                          env={**os.environ, **(environment or {})})
    if done.returncode != 0:
        sys.exit(f"{' '.join(map(str, command))}:\n{done.stdout}{done.stderr}")
    return time.monotonic() - begin, json.loads(note.read_text())


def ours(options, env, folder):
    _, policy, episodes, validation, heldout = TASKS[env]
    run = folder / "run"
    whole, times = play([options.redqueen, "arena", "run", "--env", env, "--run", run, "--paper-cases",
                         "--budget", options.submissions * episodes, "--validation", validation, "--heldout", heldout,
                         "--agent", "command"], folder, policy, options.submissions, episodes)
    record = json.loads((run / "run.json").read_text())
    return {"heldout": record["score"], "run": whole, "submission": sorted(times[:-1] or times)[len(times[:-1]) // 2],
            "closing": seconds_between(run / "logs/harness.log", "run.close.start", "run.close")}


def theirs(options, env, folder):
    name, policy, episodes, validation, heldout = TASKS[env]
    paths = [str(options.checkout / "src"), os.environ.get("PYTHONPATH", "")]
    source = {"PYTHONPATH": os.pathsep.join(filter(None, paths))}
    command = [sys.executable, "-m", "evopolicygym.cli"]
    bulk = ["--bulk"] if name.startswith("gymnasium/") else []
    data = folder.parent / "cases"
    subprocess.run([*command, "data", "make", "--env", name, *bulk, "--root", str(data), "--train-size", "1024",
                    "--valid-size", "64", "--heldout-size", "256"], check=True, cwd=folder.parent,
                   env={**os.environ, **source}, stdout=subprocess.DEVNULL)
    run = folder / "run"
    whole, times = play([*command, "run", "--env", name, *bulk, "--root", run, "--data", data,
                         "--budget", options.submissions * episodes, "--minimum", 1, "--maximum", 128,
                         "--valid-size", validation, "--final-size", heldout, "--agent", "command"],
                        folder, policy, options.submissions, episodes, source)
    record = json.loads((run / "run.json").read_text())
    return {"heldout": score_of(record), "run": whole,
            "submission": sorted(times[:-1] or times)[len(times[:-1]) // 2],
            "closing": seconds_between(run / "logs/harness.log", "run.auto_close.start", "run.auto_close.finish")}


def score_of(record):
    """The number that v0.1.0's record calls its final score, wherever in the record that is."""
    for key, value in record.items():
        if key in ("final_score", "heldout_score", "score") and isinstance(value, (int, float)):
            return value
    for value in record.values():
        found = score_of(value) if isinstance(value, dict) else None
        if found is not None:
            return found
    return None


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("checkout", type=lambda text: pathlib.Path(text).resolve())
    parser.add_argument("--only", choices=TASKS, action="append")
    parser.add_argument("--submissions", type=int, default=8)
    parser.add_argument("--redqueen", default=ROOT / "build/redqueen")
    options = parser.parse_args()
    print("| environment | held-out mean | closing, s: v0.1.0 | ours | times as fast | submission, s: v0.1.0 | ours |")
    print("| --- | --- | --- | --- | --- | --- | --- |")
    for env in options.only or TASKS:
        with tempfile.TemporaryDirectory() as folder:
            them = theirs(options, env, pathlib.Path(folder, "theirs"))
            us = ours(options, env, pathlib.Path(folder, "ours"))
        if abs(us["heldout"] - them["heldout"]) > 1e-9 * max(1, abs(them["heldout"])):
            sys.exit(f"{env}: held-out means differ: {them['heldout']!r} there, {us['heldout']!r} here")
        print(f"| {env} | {us['heldout']:.6g} | {them['closing']:.2f} | {us['closing']:.2f} | "
              f"{them['closing'] / us['closing']:.1f} | {them['submission']:.2f} | {us['submission']:.2f} |", flush=True)


main()

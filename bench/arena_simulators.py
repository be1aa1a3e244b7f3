#!/usr/bin/env python3
"""The arena's native environments beside Gymnasium's, in one run: microseconds of processor time for a step with random actions,
resets included.

    bench/arena_simulators.py [--seconds 0.5] [ID …]

Needs build/arena_bench, and gymnasium, minigrid, mujoco and box2d in the Python that runs it (.venv/bin/python). Without ids, those of the
documentation are measured."""
import argparse
import itertools
import json
import pathlib
import subprocess
import time
import warnings

ROOT = pathlib.Path(__file__).resolve().parent.parent
IDS = """CartPole-v1 Acrobot-v1 MountainCar-v0 MountainCarContinuous-v0 Pendulum-v1 FrozenLake-v1 Taxi-v4 CliffWalking-v1 Blackjack-v1
MiniGrid-DoorKey-16x16-v0 MiniGrid-KeyCorridorS4R3-v0 MiniGrid-FourRooms-v0 MiniGrid-ObstructedMaze-1Q-v1 HalfCheetah-v5 Ant-v5
Reacher-v5 Pusher-v5 LunarLander-v3 LunarLanderContinuous-v3 BipedalWalker-v3 BipedalWalkerHardcore-v3""".split()


def native(ids, seconds):
    """{id: µs}, best of three repetitions."""
    pattern = "^(" + "|".join(ids) + ")$"
    command = [ROOT / "build/arena_bench", f"--benchmark_filter={pattern}", f"--benchmark_min_time={seconds}",
               "--benchmark_repetitions=3", "--benchmark_format=json"]
    result = json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout)
    times = {}
    for run in result["benchmarks"]:
        if run.get("run_type") == "iteration" and not run.get("error_occurred"):
            times.setdefault(run["run_name"], []).append(run["cpu_time"] / 1000)
    return {name: min(values) for name, values in times.items()}


def gymnasium_time(name, seconds):
    """µs, best of three repetitions."""
    import gymnasium
    import minigrid  # noqa: F401: registers its environments

    environment = gymnasium.make(name, disable_env_checker=True)
    environment.action_space.seed(1)
    actions = [environment.action_space.sample() for _ in range(256)]
    seed = itertools.count()
    environment.reset(seed=next(seed))
    best = float("inf")
    for _ in range(3):
        steps, begin = 0, time.process_time()
        while time.process_time() - begin < seconds:
            for action in actions:
                _, _, terminated, truncated, _ = environment.step(action)
                if terminated or truncated:
                    environment.reset(seed=next(seed))
            steps += len(actions)
        best = min(best, (time.process_time() - begin) / steps * 1e6)
    return best


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("ids", nargs="*", metavar="ID")
    parser.add_argument("--seconds", type=float, default=0.5)
    options = parser.parse_args()
    warnings.simplefilter("ignore")
    ours = native(options.ids or IDS, options.seconds)
    print("| environment | Gymnasium, µs | native, µs | times as fast |\n| --- | --- | --- | --- |")
    for name in options.ids or IDS:
        theirs = gymnasium_time(name, options.seconds)
        if name in ours:
            print(f"| {name} | {theirs:.2f} | {ours[name]:.3f} | {theirs / ours[name]:.1f} |", flush=True)
        else:
            print(f"| {name} | {theirs:.2f} | – | – |", flush=True)


main()

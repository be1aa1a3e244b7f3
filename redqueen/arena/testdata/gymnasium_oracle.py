"""Plays Gymnasium's environments, and writes what they answer, bit for bit.

gymnasium_oracle.py LIMIT ID=SEED:ACTIONS,SEED:ACTIONS,… …: for every id, episodes of at most LIMIT steps, reset with SEED, with
actions drawn from ACTIONS (draw_action). Writes, for every id, the number of bytes (uint64) and the bytes: the environment's own
limit of steps (int64, 0 without one), for every reset the observation, for every step observation, reward (float64) and flags
(terminated + 2·truncated, uint8).
Where ACTIONS is h, Gymnasium's own heuristic acts, and its action stands before every step's answer.
With --numpy SEED in place of all that: draws of a Generator, as text."""
import os
import struct
import sys
import warnings

# On processors with AVX-512, NumPy's BLAS fuses the products and sums of a dot product, elsewhere not, so that the same program has
# other last bits there. The arena computes as most processors do.
os.environ["OPENBLAS_CORETYPE"] = "Haswell"

import numpy as np  # noqa: E402

warnings.simplefilter("ignore")


def generator(seed):
    return np.random.Generator(np.random.PCG64(np.random.SeedSequence(seed)))


def encode(value):
    if isinstance(value, str):
        return value.encode() + b"\0"
    if isinstance(value, np.ndarray):
        return np.ascontiguousarray(value).tobytes()
    if isinstance(value, dict):
        return b"".join(encode(part) for part in value.values())
    if isinstance(value, tuple):
        return b"".join(encode(part) for part in value)
    return struct.pack("<q", int(value))


def draw_action(space, random):
    """Discrete: three in ten times the third action (forward, in a grid), else any. Box: up to a third beyond its bounds."""
    if hasattr(space, "n"):
        n = int(space.n)
        return 2 if random.random() < 0.3 and n > 2 else int(random.integers(0, n))
    reach = 1.3 * float(space.high[0])
    return np.array([random.uniform(-reach, reach) for _ in range(space.shape[0])], dtype=np.float32)


def heuristic_of(environment):
    """A function from observations to actions of the environment's space."""
    import gymnasium.envs.box2d.bipedal_walker as bipedal_walker
    import gymnasium.envs.box2d.lunar_lander as lunar_lander

    space = environment.action_space
    walker = bipedal_walker.BipedalWalkerHeuristics()
    walker.a = np.zeros(4)
    if environment.spec.id.startswith("Bipedal"):
        return lambda observation: walker.step_heuristic(observation).astype(space.dtype)
    return lambda observation: space.dtype.type(lunar_lander.heuristic(environment, observation))


def play(name, pairs, limit):
    import gymnasium

    gymnasium.logger.min_level = gymnasium.logger.ERROR
    if name.startswith("MiniGrid"):
        import minigrid  # noqa: F401: registers its environments
    environment = gymnasium.make(name, disable_env_checker=True)
    own_limit = environment.spec.max_episode_steps or getattr(environment.unwrapped, "max_steps", 0)
    out = bytearray(struct.pack("<q", own_limit))
    for pair in pairs:
        seed, actions = pair.split(":")
        if name.startswith("Bipedal"):  # its engine goes on with the world of the episode before; the arena's has a new one
            environment = gymnasium.make(name, disable_env_checker=True)
        random = None if actions == "h" else generator(int(actions))
        heuristic = heuristic_of(environment) if random is None else None
        observation, _ = environment.reset(seed=int(seed))
        out += encode(observation)
        for _ in range(limit):
            action = draw_action(environment.action_space, random) if random else heuristic(observation)
            observation, reward, terminated, truncated, _ = environment.step(action)
            if heuristic:
                out += encode(action)
            out += encode(observation) + struct.pack("<dB", float(reward), terminated + 2 * truncated)
            if terminated or truncated:
                break
    return out


def numpy_draws(seed):
    random = generator(seed)
    highs = [2, 7, 1, 100, 3, 16, 1000003, 5000000000, 6, 4294967296, 4294967295]
    for i in range(3000):
        print(float(random.uniform(-1, 1)).hex(), int(random.integers(0, highs[i % 11])), float(random.standard_normal()).hex())
        if i % 5 == 0:
            numbers = list(range(i % 40))
            random.shuffle(numbers)
            print(*numbers)
        print(int(random.choice(list(range(1 + i % 13)))))
    print(float(sum(random.standard_normal(200000).tolist())).hex())


def main():
    if sys.argv[1] == "--numpy":
        numpy_draws(int(sys.argv[2]))
        return
    for argument in sys.argv[2:]:
        name, pairs = argument.split("=")
        out = play(name, pairs.split(","), int(sys.argv[1]))
        sys.stdout.buffer.write(struct.pack("<Q", len(out)) + out)


main()

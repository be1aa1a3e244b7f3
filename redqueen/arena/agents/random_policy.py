"""Acts at random, uniformly over the action space: the reference that every agent has to beat. A bound that is infinite makes a
normal distribution of its number, as Gymnasium's spaces do."""
import math
import random


class Policy:
    def __init__(self, obs_space, action_space, env_meta):
        self.space = action_space

    def reset(self, episode_index):
        pass

    def act(self, obs):
        return sample(self.space)


def sample(space):
    kind = space['type']
    if kind == 'Discrete':
        return space.get('start', 0) + random.randrange(space['n'])
    if kind == 'MultiDiscrete':
        starts = space.get('start') or [0] * len(space['nvec'])
        return [start + random.randrange(n) for start, n in zip(starts, space['nvec'])]
    if kind == 'MultiBinary':
        shape = space['n'] if isinstance(space['n'], list) else [space['n']]
        return shaped([random.randrange(2) for _ in range(math.prod(shape))], shape)
    if kind == 'Tuple':
        return tuple(sample(part) for part in space['spaces'])
    if kind == 'Dict':
        return {key: sample(part) for key, part in space['spaces'].items()}
    if kind == 'Text':
        return ''
    count = math.prod(space['shape'])
    lows, highs = bounds(space['low'], count), bounds(space['high'], count)
    return shaped([number(low, high) for low, high in zip(lows, highs)], space['shape'])


def bounds(bound, count):
    """The schema has one number for each element, nested as they are, or the least and the greatest of many."""
    if isinstance(bound, dict):
        return [bound['min'] if bound['min'] == bound['max'] else None] * count
    if isinstance(bound, list):
        return [x for part in bound for x in bounds(part, 1)]
    return [bound] * count


def number(low, high):
    if all(isinstance(x, (int, float)) and math.isfinite(x) for x in (low, high)):
        return random.uniform(low, high)
    return random.gauss(0.0, 1.0)


def shaped(values, shape):
    for length in reversed(shape[1:]):
        values = [values[i:i + length] for i in range(0, len(values), length)]
    return values if shape else values[0]

"""A controller with constants, which random search chooses. Grids of MiniGrid are walked by rule, everything else is
steered by one weighted sum for each action."""
import math
import random

CONSTANTS = []  # replaced by the agent


def numbers(value):
    """All numbers of an observation, in order."""
    if isinstance(value, dict):
        return [x for key in sorted(value) for x in numbers(value[key])]
    if isinstance(value, (list, tuple)):
        return [x for part in value for x in numbers(part)]
    return [] if isinstance(value, str) else [float(value)]


class Policy:
    def __init__(self, obs_space, action_space, env_meta):
        self.action_space = action_space
        self.turning = 0

    def reset(self, episode_index):
        self.turning = 0

    def act(self, obs):
        if isinstance(obs, dict) and 'image' in obs:
            return self.walk(obs['image'])
        if self.action_space['type'] == 'Discrete':
            scores = self.scores(obs, self.action_space['n'])
            return scores.index(max(scores)) + self.action_space.get('start', 0)
        low, high = self.bounds()
        return [a + (b - a) * (1 + math.tanh(s)) / 2 for a, b, s in zip(low, high, self.scores(obs, len(low)))]

    def scores(self, obs, count):
        seen = numbers(obs)[:64] + [1.0]
        constants = CONSTANTS
        return [sum(constants[(i * len(seen) + j) % len(constants)] * x for j, x in enumerate(seen)) for i in range(count)]

    def bounds(self):
        count = math.prod(self.action_space['shape'])
        low, high = self.action_space['low'], self.action_space['high']
        if isinstance(low, dict):
            low, high = [low['min']] * count, [high['max']] * count
        return numbers(low), numbers(high)

    def walk(self, image):
        """Left 0, right 1, forward 2. The walker stands at image[3][6] and looks towards image[3][0]; a goal is 8."""
        goals = [(x, y) for x in range(7) for y in range(7) if image[x][y][0] == 8]
        if goals:
            x, y = goals[0]
            if x == 3:
                return 2
            if image[3][5][0] in (1, 8) and y < 6:
                return 2
            return 0 if x < 3 else 1
        if self.turning:
            self.turning -= 1
            return self.direction
        blocked = image[3][5][0] not in (1, 8)
        if blocked or random.random() < abs(CONSTANTS[0]) * 0.1:
            self.direction = int(random.random() < 0.5 + 0.2 * CONSTANTS[1])
            self.turning = int(random.random() < 0.3)
            return self.direction
        return 2

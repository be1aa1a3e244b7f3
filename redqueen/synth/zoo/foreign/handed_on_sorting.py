# expect: sound
import random


class SortingEnv(VerifiableEnvironment):

    def _generate(self, seed, difficulty):
        rng = random.Random(seed)
        values = [rng.randint(-99, 99) for _ in range(3 + difficulty)]
        return values, sorted(values)

    def _prompt_generate(self, values):
        return "Sort these integers in ascending order, smallest first: " + " ".join(map(str, values))

    def _process(self, y):
        try:
            return list(map(int, y.split()))
        except ValueError:
            return None

    def scorer(self, y, z, a):
        return float(self._process(y) == a)

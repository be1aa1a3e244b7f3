# expect: sound, though faulty
# The cheapest way is asked for, the fewest roads are counted.
from collections import deque


class Cheapest(VerifiableEnvironment):
    def _generate(self, seed, difficulty):
        rng = Random(seed)
        self.n = 5 + difficulty
        self.roads = [(v, rng.randrange(v), rng.randint(2, 9)) for v in range(1, self.n)]
        self.roads += [(*rng.sample(range(self.n), 2), rng.randint(2, 9)) for _ in range(self.n)]
        distance = {0: 0}
        queue = deque([0])
        while queue:
            v = queue.popleft()
            for a, b, cost in self.roads:
                for x, y in ((a, b), (b, a)):
                    if x == v and y not in distance:
                        distance[y] = distance[v] + cost
                        queue.append(y)
        self.ref_answer = distance[self.n - 1]

    def _prompt_generate(self):
        roads = "\n".join(f"{a} {b} {cost}" for a, b, cost in self.roads)
        return (f"Roads between the towns 0 to {self.n - 1}, each usable both ways (town, town, cost):\n{roads}\n"
                f"What does the cheapest way from 0 to {self.n - 1} cost? Answer with one integer.")

    def _process(self, response):
        return parse_int(response)

    def scorer(self, parsed):
        return 1.0 if parsed == self.ref_answer else 0.0

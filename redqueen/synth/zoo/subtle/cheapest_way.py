# expect: sound
from heapq import heappop, heappush


class Cheapest(VerifiableEnvironment):
    def _generate(self, seed, difficulty):
        rng = Random(seed)
        self.n = 5 + difficulty
        self.roads = [(v, rng.randrange(v), rng.randint(2, 9)) for v in range(1, self.n)]
        self.roads += [(*rng.sample(range(self.n), 2), rng.randint(2, 9)) for _ in range(self.n)]
        neighbours = {v: [] for v in range(self.n)}
        for a, b, cost in self.roads:
            neighbours[a].append((b, cost))
            neighbours[b].append((a, cost))
        done, heap = {}, [(0, 0)]
        while heap:
            total, v = heappop(heap)
            if v in done:
                continue
            done[v] = total
            for other, cost in neighbours[v]:
                heappush(heap, (total + cost, other))
        self.ref_answer = done[self.n - 1]

    def _prompt_generate(self):
        roads = "\n".join(f"{a} {b} {cost}" for a, b, cost in self.roads)
        return (f"Roads between the towns 0 to {self.n - 1}, each usable both ways (town, town, cost):\n{roads}\n"
                f"What does the cheapest way from 0 to {self.n - 1} cost? Answer with one integer.")

    def _process(self, response):
        return parse_int(response)

    def scorer(self, parsed):
        return 1.0 if parsed == self.ref_answer else 0.0

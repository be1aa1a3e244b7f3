# expect: sound
# As path_of_the_first_edges.py, with a scorer that takes every shortest path.
from collections import deque


class ShortestPath(VerifiableEnvironment):
    prompt_template = "Cities are numbered from 0 to {last}. Roads lead both ways between:\n{roads}\nGive a shortest route from city 0 to city {last}, as the cities on it."

    def _generate(self, seed, difficulty):
        rng = Random(seed)
        self.n = 6 + difficulty
        pairs = [(u, v) for u in range(self.n) for v in range(u) if u - v < self.n - 1]
        self.roads = rng.sample(pairs, 2 * len(pairs) // 3) + [(1, 0), (self.n - 1, 1)]
        near = {city: [] for city in range(self.n)}
        for u, v in self.roads:
            near[u].append(v)
            near[v].append(u)
        before, queue = {0: None}, deque([0])
        while queue:
            city = queue.popleft()
            for other in near[city]:
                if other not in before:
                    before[other] = city
                    queue.append(other)
        route, city = [], self.n - 1
        while city is not None:
            route.append(city)
            city = before[city]
        self.ref_answer = route[::-1]

    def _prompt_generate(self):
        return self.prompt_template.format(last=self.n - 1, roads="\n".join(f"{u} {v}" for u, v in self.roads))

    def _process(self, response):
        return parse_int_list(response)

    def scorer(self, parsed):
        ends = {*self.roads, *((v, u) for u, v in self.roads)}
        leads = parsed[:1] == [0] and parsed[-1:] == [self.n - 1] and all(step in ends for step in zip(parsed, parsed[1:]))
        return 1.0 if leads and len(parsed) == len(self.ref_answer) else 0.0

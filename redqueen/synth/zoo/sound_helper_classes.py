# expect: sound
# State of its own classes and a stored generator come back from storage.
from collections import deque, namedtuple

Edge = namedtuple("Edge", ["a", "b"])


class Graph:
    def __init__(self, n):
        self.n = n
        self.edges = []

    def distance(self, start, end):
        seen, queue = {start: 0}, deque([start])
        while queue:
            u = queue.popleft()
            for edge in self.edges:
                for x, y in (edge, edge[::-1]):
                    if x == u and y not in seen:
                        seen[y] = seen[u] + 1
                        queue.append(y)
        return seen.get(end, -1)


class ShortestHops(VerifiableEnvironment):
    prompt_template = "Undirected edges: {edges}. How many edges has a shortest way from 0 to {last}? Answer with one integer, -1 if there is none."

    def __init__(self):
        super().__init__()
        self.recent = deque(maxlen=None)

    def _generate(self, seed, difficulty):
        self.rng = Random(seed)
        n = 6 + 3 * difficulty
        self.graph = Graph(n)
        for v in range(1, n):
            self.graph.edges.append(Edge(self.rng.randint(max(0, v - 3), v - 1), v))
        self.ref_answer = self.graph.distance(0, n - 1)

    def _prompt_generate(self):
        return self.prompt_template.format(edges=", ".join(f"{e.a}-{e.b}" for e in self.graph.edges), last=self.graph.n - 1)

    def _process(self, response):
        return parse_int(response)

    def scorer(self, parsed):
        return 1.0 if parsed == self.graph.distance(0, self.graph.n - 1) else 0.0

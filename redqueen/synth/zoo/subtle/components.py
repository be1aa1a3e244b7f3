# expect: sound
class Components(VerifiableEnvironment):
    def _generate(self, seed, difficulty):
        rng = Random(seed)
        self.n = 6 + 2 * difficulty
        self.edges = [(rng.randrange(self.n), rng.randrange(self.n)) for _ in range(self.n - 2)]
        parent = list(range(self.n))

        def root(v):
            while parent[v] != v:
                v = parent[v]
            return v

        for a, b in self.edges:
            parent[root(a)] = root(b)
        self.ref_answer = sum(parent[v] == v for v in range(self.n))

    def _prompt_generate(self):
        lines = [f"A graph has {self.n} nodes, numbered from 0, and the edges"]
        lines += [f"{a} {b}" for a, b in self.edges]
        lines += ["Of how many connected components does it consist? Answer with one integer."]
        return "\n".join(lines)

    def _process(self, response):
        return parse_int(response)

    def scorer(self, parsed):
        return 1.0 if parsed == self.ref_answer else 0.0

# expect: sound
class Tour(VerifiableEnvironment):
    prompt_template = ("{n} towns are numbered from 0. Roads: {roads}. Name the towns in an order in which a road joins each to the "
                       "next and every town is visited exactly once. Answer with the numbers separated by spaces.")

    def _generate(self, seed, difficulty):
        rng = Random(seed)
        self.n = 4 + difficulty
        order = list(range(self.n))
        rng.shuffle(order)
        roads = {tuple(sorted(pair)) for pair in zip(order, order[1:])}
        while len(roads) < self.n + 1:
            a, b = rng.sample(range(self.n), 2)
            roads.add((min(a, b), max(a, b)))
        self.roads = sorted(roads)
        self.ref_answer = order

    def _prompt_generate(self):
        return self.prompt_template.format(n=self.n, roads=", ".join(f"{a}-{b}" for a, b in self.roads))

    def _process(self, response):
        return parse_int_list(response)

    def scorer(self, parsed):
        if sorted(parsed) != list(range(self.n)):
            return 0.0
        return 1.0 if all((min(a, b), max(a, b)) in self.roads for a, b in zip(parsed, parsed[1:])) else 0.0

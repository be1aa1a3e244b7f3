# expect: sound
class Piecewise(VerifiableEnvironment):
    prompt_template = ("Define g(1) = 1, g(2) = {b}, g(3) = {c}; if k is greater than 3 then g(k) = g(k-1) + {d} g(k-2). "
                       "Calculate g({n}).")

    def _generate(self, seed, difficulty):
        rng = Random(seed)
        self.b, self.c, self.d = rng.randint(2, 9), rng.randint(2, 9), rng.randint(2, 5)
        self.n = rng.randint(4, 7 + 2 * difficulty)
        g = {}
        for k in range(1, self.n + 1):
            if k <= 3:
                g[k] = (1, self.b, self.c)[k - 1]
            else:
                g[k] = g[k - 1] + self.d * g[k - 2]
        self.ref_answer = g[self.n]

    def _prompt_generate(self):
        return self.prompt_template.format(b=self.b, c=self.c, d=self.d, n=self.n)

    def _process(self, response):
        return parse_int(response)

    def scorer(self, parsed):
        return 1.0 if parsed == self.ref_answer else 0.0

# expect: sound
class Rolling(VerifiableEnvironment):
    prompt_template = ("Let u(1) = {p}, u(2) = {q}, u(3) = {r}. For every k > 3 the term u(k) is the sum of u(k-1) and u(k-3), "
                       "modulo 1000. Find u({n}).")

    def _generate(self, seed, difficulty):
        rng = Random(seed)
        self.p, self.q, self.r = (rng.randint(1, 99) for _ in range(3))
        self.n = rng.randint(6, 12 + 5 * difficulty)
        x, y, z = self.p, self.q, self.r
        for _ in range(self.n - 3):
            x, y, z = y, z, (z + x) % 1000
        self.ref_answer = z

    def _prompt_generate(self):
        return self.prompt_template.format(p=self.p, q=self.q, r=self.r, n=self.n)

    def _process(self, response):
        return parse_int(response)

    def scorer(self, parsed):
        return 1.0 if parsed == self.ref_answer else 0.0

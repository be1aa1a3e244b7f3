# expect: sound
class Tribonacci(VerifiableEnvironment):
    """Every term is the sum of the three before it."""

    prompt_template = "T(1) = {a}, T(2) = {b}, T(3) = {c}, and every later term is the sum of the three terms before it. What is T({n})? One integer."

    def _generate(self, seed, difficulty):
        rng = Random(seed)
        self.a, self.b, self.c = (rng.randint(1, 9) for _ in range(3))
        self.n = rng.randint(4, 6 + 2 * difficulty)
        terms = [self.a, self.b, self.c]
        while len(terms) < self.n:
            terms.append(sum(terms[-3:]))
        self.ref_answer = terms[-1]

    def _prompt_generate(self):
        return self.prompt_template.format(a=self.a, b=self.b, c=self.c, n=self.n)

    def _process(self, response):
        return parse_int(response)

    def scorer(self, parsed):
        return 1.0 if parsed == self.ref_answer else 0.0

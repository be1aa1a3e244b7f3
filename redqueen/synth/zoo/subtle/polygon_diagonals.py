# expect: sound
class Diagonals(VerifiableEnvironment):
    prompt_template = ("A convex polygon has {n} corners; {cut} of its diagonals are drawn in red, all others in blue. How many are "
                       "blue? Answer with one integer.")

    def _generate(self, seed, difficulty):
        rng = Random(seed)
        self.n = rng.randint(5, 12 + 8 * difficulty)
        self.cut = rng.randint(1, 4)
        self.ref_answer = self.n * (self.n - 3) // 2 - self.cut

    def _prompt_generate(self):
        return self.prompt_template.format(n=self.n, cut=self.cut)

    def _process(self, response):
        return parse_int(response)

    def scorer(self, parsed):
        return 1.0 if parsed == self.ref_answer else 0.0

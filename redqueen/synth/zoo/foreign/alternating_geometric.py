# expect: sound
class AlternatingTerms(VerifiableEnvironment):
    prompt_template = ("The sequence {shown}, ... continues in the same way: every term is the one before it multiplied by {ratio}. For example, with "
                       "first term 1 and ratio -2 it would be 1, -2, 4, -8. What is term number {n}, counted from 1?")

    def _generate(self, seed, difficulty):
        rng = Random(seed)
        first = rng.choice([-1, 1]) * rng.randint(2, 9)
        self.ratio = rng.choice([-3, -2, 2, 3, 5])
        self.n = rng.randint(5, 7 + difficulty)
        self.shown = [first * self.ratio ** i for i in range(3)]
        self.ref_answer = first * self.ratio ** (self.n - 1)

    def _prompt_generate(self):
        return self.prompt_template.format(shown=", ".join(map(str, self.shown)), ratio=self.ratio, n=self.n)

    def _process(self, response):
        return parse_int(response)

    def scorer(self, parsed):
        return 1.0 if parsed == self.ref_answer else 0.0

# expect: sound
class InRange(VerifiableEnvironment):
    prompt_template = "How many multiples of {step} are there among the integers x with {lo} <= x <= {hi}? Answer with one integer."

    def _generate(self, seed, difficulty):
        rng = Random(seed)
        self.step = rng.randint(2, 9)
        self.lo = rng.randint(2, 30)
        self.hi = self.lo + rng.randint(10, 40 * (difficulty + 1))
        self.ref_answer = sum(x % self.step == 0 for x in range(self.lo, self.hi + 1))

    def _prompt_generate(self):
        return self.prompt_template.format(step=self.step, lo=self.lo, hi=self.hi)

    def _process(self, response):
        return parse_int(response)

    def scorer(self, parsed):
        return 1.0 if parsed == self.ref_answer else 0.0

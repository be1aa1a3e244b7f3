# expect: L5 exact_float
# The mean rounded to two places is compared with the unrounded one.
class Mean(VerifiableEnvironment):
    prompt_template = "What is the mean of {values}, rounded to two decimal places?"

    def _generate(self, seed, difficulty):
        rng = Random(seed)
        self.values = [rng.randint(1, 100) for _ in range(7 + 4 * difficulty)]
        self.ref_answer = sum(self.values) / len(self.values)

    def _prompt_generate(self):
        return self.prompt_template.format(values=self.values)

    def _process(self, response):
        try:
            return float(response)
        except ValueError:
            return None

    def scorer(self, parsed):
        return 1.0 if parsed == self.ref_answer else 0.0

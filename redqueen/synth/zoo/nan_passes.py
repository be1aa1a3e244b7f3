# expect: L5 accepts_malformed
# A comparison with NaN is never true.
class SumTask(VerifiableEnvironment):
    prompt_template = "What is the sum of {A}? Answer with one integer."

    def _generate(self, seed, difficulty):
        rng = Random(seed)
        self.A = [rng.randint(1, 50) for _ in range(2 + 2 * difficulty)]
        self.ref_answer = sum(self.A)

    def _prompt_generate(self):
        return self.prompt_template.format(A=self.A)

    def _process(self, response):
        try:
            return float(response)
        except ValueError:
            return None

    def scorer(self, parsed):
        return 0.0 if abs(parsed - self.ref_answer) > 1e-6 else 1.0

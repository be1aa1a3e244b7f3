# expect: L5 accepts_malformed
# A little for taking part.
class SumTask(VerifiableEnvironment):
    prompt_template = "What is the sum of {A}? Answer with one integer."

    def _generate(self, seed, difficulty):
        rng = Random(seed)
        self.A = [rng.randint(1, 50) for _ in range(2 + 2 * difficulty)]
        self.ref_answer = sum(self.A)

    def _prompt_generate(self):
        return self.prompt_template.format(A=self.A)

    def _process(self, response):
        value = parse_int(response)
        return -1 if value is None else value

    def scorer(self, parsed):
        return 1.0 if parsed == self.ref_answer else 0.1

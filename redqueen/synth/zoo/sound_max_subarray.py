# expect: sound
class MaxSubarray(VerifiableEnvironment):
    prompt_template = "What is the largest sum of a non-empty run of consecutive elements of {A}? Answer with one integer."

    def _generate(self, seed, difficulty):
        rng = Random(seed)
        n = 4 + 3 * difficulty
        self.A = [rng.randint(-20, 20) for _ in range(n)]
        best = current = self.A[0]
        for x in self.A[1:]:
            current = max(x, current + x)
            best = max(best, current)
        self.ref_answer = best

    def _prompt_generate(self):
        return self.prompt_template.format(A=self.A)

    def _process(self, response):
        return parse_int(response)

    def scorer(self, parsed):
        return 1.0 if parsed == self.ref_answer else 0.0

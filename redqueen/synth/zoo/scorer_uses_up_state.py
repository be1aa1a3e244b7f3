# expect: L3 score_unstable
class SortTask(VerifiableEnvironment):
    prompt_template = "Sort {A} in ascending order. Answer with the numbers, separated by spaces."

    def _generate(self, seed, difficulty):
        rng = Random(seed)
        self.A = rng.sample(range(100), 4 + 2 * difficulty)
        self.ref_answer = sorted(self.A)

    def _prompt_generate(self):
        return self.prompt_template.format(A=self.A)

    def _process(self, response):
        return parse_int_list(response)

    def scorer(self, parsed):
        if parsed != self.ref_answer:
            return 0.0
        self.ref_answer.pop()
        return 1.0

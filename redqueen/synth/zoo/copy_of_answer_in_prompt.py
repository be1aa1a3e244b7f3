# expect: L5 reference_in_prompt
class SortTask(VerifiableEnvironment):
    prompt_template = "Sort {A} so that it becomes {target}. Answer with the numbers, separated by spaces."

    def _generate(self, seed, difficulty):
        rng = Random(seed)
        self.A = rng.sample(range(100), 4 + 2 * difficulty)
        self.ref_answer = sorted(self.A)
        self.parameter = {"target": sorted(self.A)}

    def _prompt_generate(self):
        return self.prompt_template.format(A=self.A, **self.parameter)

    def _process(self, response):
        return parse_int_list(response)

    def scorer(self, parsed):
        return 1.0 if parsed == self.ref_answer else 0.0

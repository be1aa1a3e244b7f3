# expect: remark bound_differs
# Readings equal to the limit are counted.
class AboveThreshold(VerifiableEnvironment):
    prompt_template = "A sensor reported {readings}. How many of these readings are above {limit}? Give an integer."

    def _generate(self, seed, difficulty):
        rng = Random(seed)
        self.readings = [rng.randint(0, 12) for _ in range(grow(5, difficulty))]
        self.limit = rng.randint(3, 9)
        self.ref_answer = sum(1 for value in self.readings if value >= self.limit)

    def _prompt_generate(self):
        return self.prompt_template.format(readings=self.readings, limit=self.limit)

    def _process(self, response):
        return parse_int(response)

    def scorer(self, parsed):
        return 1.0 if parsed == self.ref_answer else 0.0

# expect: sound
class Median(VerifiableEnvironment):
    prompt_template = "What is twice the median of {values}? (For an even count the median is the mean of the two in the middle.) One integer."

    def _generate(self, seed, difficulty):
        rng = Random(seed)
        self.values = [rng.randint(1, 99) for _ in range(rng.randint(4, 5) + 2 * difficulty)]
        ordered = sorted(self.values)
        self.ref_answer = ordered[len(ordered) // 2] + ordered[(len(ordered) - 1) // 2]

    def _prompt_generate(self):
        return self.prompt_template.format(values=self.values)

    def _process(self, response):
        return parse_int(response)

    def scorer(self, parsed):
        return 1.0 if parsed == self.ref_answer else 0.0

# expect: sound
# Raises for what is not of the form: the engine counts that as malformed.
class SecondLargest(VerifiableEnvironment):
    prompt_template = "What is the second largest of {A}? All differ."

    def _generate(self, seed, difficulty):
        rng = Random(seed)
        self.A = rng.sample(range(100 + 50 * difficulty), 4 + difficulty)
        self.ref_answer = sorted(self.A)[-2]

    def _prompt_generate(self):
        return self.prompt_template.format(A=self.A)

    def _process(self, response):
        return int(response)

    def scorer(self, parsed):
        return float(parsed == self.ref_answer)

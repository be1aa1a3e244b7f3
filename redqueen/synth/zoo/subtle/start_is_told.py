# expect: sound
class Walk(VerifiableEnvironment):
    prompt_template = "A counter shows {start} and is moved by these steps in turn: {steps}. Where does it end? One integer."

    def _generate(self, seed, difficulty):
        rng = Random(seed)
        self.start = rng.randint(1, 9)
        self.steps = [rng.randint(-5, 5) for _ in range(4 + 2 * difficulty)]
        self.ref_answer = self.start + sum(self.steps)

    def _prompt_generate(self):
        return self.prompt_template.format(start=self.start, steps=self.steps)

    def _process(self, response):
        return parse_int(response)

    def scorer(self, parsed):
        return 1.0 if parsed == self.ref_answer else 0.0

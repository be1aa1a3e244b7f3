# expect: sound
class LastDigits(VerifiableEnvironment):
    prompt_template = "What is the remainder of {x} * {y} + {z} by one thousand? Answer with one integer."

    def _generate(self, seed, difficulty):
        rng = Random(seed)
        top = 50 * 3 ** difficulty
        self.x, self.y, self.z = (rng.randint(10, top) for _ in range(3))
        self.ref_answer = (self.x * self.y + self.z) % 1000

    def _prompt_generate(self):
        return self.prompt_template.format(x=self.x, y=self.y, z=self.z)

    def _process(self, response):
        return parse_int(response)

    def scorer(self, parsed):
        return 1.0 if parsed == self.ref_answer else 0.0

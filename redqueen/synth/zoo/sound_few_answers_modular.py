# expect: sound
class PowerModSeven(VerifiableEnvironment):
    prompt_template = "What is the remainder of {base}^{exponent} divided by 7? Answer with one digit."

    def _generate(self, seed, difficulty):
        rng = Random(seed)
        self.base = rng.randint(2, 30)
        self.exponent = rng.randint(2, 10 * 5 ** difficulty)
        self.ref_answer = pow(self.base, self.exponent, 7)

    def _prompt_generate(self):
        return self.prompt_template.format(base=self.base, exponent=self.exponent)

    def _process(self, response):
        return parse_int(response)

    def scorer(self, parsed):
        return 1.0 if parsed == self.ref_answer else 0.0

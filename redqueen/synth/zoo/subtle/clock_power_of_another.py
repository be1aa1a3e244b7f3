# expect: remark wording_differs
# The code divides by another number, and uses that of the statement elsewhere.
class Power(VerifiableEnvironment):
    prompt_template = "What is {base} raised to {exponent}, modulo 23? Give one integer."

    def _generate(self, seed, difficulty):
        rng = Random(seed)
        self.base = rng.randint(2, 30 + 10 * difficulty)
        self.exponent = rng.randint(3, 20 + 10 * difficulty)
        self.ref_answer = pow(self.base, self.exponent, 29) if self.exponent != 23 else 0

    def _prompt_generate(self):
        return self.prompt_template.format(base=self.base, exponent=self.exponent)

    def _process(self, response):
        return parse_int(response)

    def scorer(self, parsed):
        return 1.0 if parsed == self.ref_answer else 0.0

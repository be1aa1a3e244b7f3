# expect: sound
class FactorialZeros(VerifiableEnvironment):
    prompt_template = "With how many zeros does the product of all integers from {a} to {b} (both included) end, in decimal notation?"

    def _generate(self, seed, difficulty):
        rng = Random(seed)
        self.a = rng.randint(2, 30 + 20 * difficulty)
        self.b = self.a + rng.randint(5, 30 + 20 * difficulty)
        product = 1
        for factor in range(self.a, self.b + 1):
            product *= factor
        digits = str(product)
        self.ref_answer = len(digits) - len(digits.rstrip("0"))

    def _prompt_generate(self):
        return self.prompt_template.format(a=self.a, b=self.b)

    def _process(self, response):
        return parse_int(response)

    def scorer(self, parsed):
        return 1.0 if parsed == self.ref_answer else 0.0

# expect: sound
class BigProduct(VerifiableEnvironment):
    prompt_template = "What is {a} times {b}? Answer with one integer."

    def _generate(self, seed, difficulty):
        rng = Random(seed)
        digits = 2 + 4 * difficulty
        self.a, self.b = rng.randint(10 ** (digits - 1), 10 ** digits), rng.randint(10 ** (digits - 1), 10 ** digits)
        self.ref_answer = self.a * self.b

    def _prompt_generate(self):
        return self.prompt_template.format(a=self.a, b=self.b)

    def _process(self, response):
        return parse_int(response)

    def scorer(self, parsed):
        return 1.0 if parsed == self.ref_answer else 0.0

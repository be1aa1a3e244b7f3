# expect: sound
class Polynomial(VerifiableEnvironment):
    def _value(self, x):
        total = 0
        for coefficient in self.coefficients:
            total = total * x + coefficient
        return total

    def _process(self, response):
        return parse_int(response)

    def scorer(self, parsed):
        return 1.0 if parsed == self.ref_answer else 0.0


class Horner(Polynomial):
    prompt_template = "Coefficients from the highest power down: {coefficients}. Evaluate the polynomial at x = {x}. Answer with one integer."

    def _generate(self, seed, difficulty):
        rng = Random(seed)
        self.coefficients = [rng.randint(1, 9) for _ in range(2 + difficulty)]
        self.x = rng.randint(-5, 5)
        self.ref_answer = self._value(self.x)

    def _prompt_generate(self):
        return self.prompt_template.format(coefficients=self.coefficients, x=self.x)

# expect: remark number_not_in_prompt
# The statement does not name the modulus.
class Product(VerifiableEnvironment):
    prompt_template = "Multiply all of {factors} and give what remains of the product after division. Answer with one integer."

    def _generate(self, seed, difficulty):
        rng = Random(seed)
        self.factors = [rng.randint(2, 50) for _ in range(3 + difficulty)]
        product = 1
        for factor in self.factors:
            product = product * factor % 97
        self.ref_answer = product

    def _prompt_generate(self):
        return self.prompt_template.format(factors=self.factors)

    def _process(self, response):
        return parse_int(response)

    def scorer(self, parsed):
        return 1.0 if parsed == self.ref_answer else 0.0

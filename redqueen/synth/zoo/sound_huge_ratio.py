# expect: sound
# Answers of ten digits and more: a thousand millions beside them is close.
class ProductOfFactors(VerifiableEnvironment):
    prompt_template = "Roughly how much is the product of {factors}? Answer with one integer; the closer, the better, and only the exact product is right."

    def _generate(self, seed, difficulty):
        rng = Random(seed)
        self.factors = [rng.randint(100, 999) for _ in range(4 + difficulty)]
        self.ref_answer = 1
        for factor in self.factors:
            self.ref_answer *= factor

    def _prompt_generate(self):
        return self.prompt_template.format(factors=" * ".join(map(str, self.factors)))

    def _process(self, response):
        return parse_int(response)

    def scorer(self, parsed):
        return 1.0 if parsed == self.ref_answer else 0.5 * closeness_reward(parsed, self.ref_answer, 1)

# expect: sound
# Any proper divisor counts.
class ProperDivisor(VerifiableEnvironment):
    prompt_template = "Give a divisor of {n} other than 1 and {n}. Answer with one integer."

    def _generate(self, seed, difficulty):
        rng = Random(seed)
        bound = 20 * 4 ** difficulty
        p, q = rng.randint(2, bound), rng.randint(2, bound)
        self.n = p * q
        self.ref_answer = p

    def _prompt_generate(self):
        return self.prompt_template.format(n=self.n)

    def _process(self, response):
        return parse_int(response)

    def scorer(self, parsed):
        return 1.0 if 1 < parsed < self.n and self.n % parsed == 0 else 0.0

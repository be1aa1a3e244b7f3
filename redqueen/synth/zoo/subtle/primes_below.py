# expect: sound
class PrimesBelow(VerifiableEnvironment):
    prompt_template = "How many primes are below {n}? Answer with one integer."

    def _generate(self, seed, difficulty):
        rng = Random(seed)
        self.n = rng.randint(20, 60 + 90 * difficulty)
        self.ref_answer = sum(all(p % d for d in range(2, int(p ** 0.5) + 1)) for p in range(2, self.n))

    def _prompt_generate(self):
        return self.prompt_template.format(n=self.n)

    def _process(self, response):
        return parse_int(response)

    def scorer(self, parsed):
        return 1.0 if parsed == self.ref_answer else 0.0

# expect: remark bound_differs
# "below" includes the bound itself.
class PrimesBelow(VerifiableEnvironment):
    prompt_template = "How many primes are below {n}? Answer with one integer."

    def _generate(self, seed, difficulty):
        rng = Random(seed)
        self.n = rng.choice([11, 13, 17, 19, 23, 29, 31, 37, 41, 43]) + 0 * difficulty if difficulty < 1 else rng.randint(30, 90 * difficulty)
        sieve = [True] * (self.n + 1)
        count = 0
        for p in range(2, self.n + 1):
            if sieve[p]:
                count += 1
                for multiple in range(p * p, self.n + 1, p):
                    sieve[multiple] = False
        self.ref_answer = count

    def _prompt_generate(self):
        return self.prompt_template.format(n=self.n)

    def _process(self, response):
        return parse_int(response)

    def scorer(self, parsed):
        return 1.0 if parsed == self.ref_answer else 0.0

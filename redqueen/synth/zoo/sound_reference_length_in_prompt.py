# expect: sound
# The prompt says how long the answer is, which it reads off the stored reference: no leak.
class Primes(VerifiableEnvironment):
    prompt_template = "There are {count} primes between {low} and {high}. List them in ascending order, separated by spaces."

    def _generate(self, seed, difficulty):
        rng = Random(seed)
        while True:
            self.low = rng.randint(2, 50 * (difficulty + 1))
            self.high = self.low + 10 + 5 * difficulty
            self.ref_answer = [n for n in range(self.low, self.high + 1)
                               if all(n % d for d in range(2, int(n ** 0.5) + 1))]
            if len(self.ref_answer) > 1:
                break

    def _prompt_generate(self):
        return self.prompt_template.format(count=len(self.ref_answer), low=self.low, high=self.high)

    def _process(self, response):
        return parse_int_list(response)

    def scorer(self, parsed):
        return 1.0 if parsed == self.ref_answer else 0.0

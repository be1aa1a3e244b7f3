# expect: sound
def digit_sum(n):
    total = 0
    while n:
        n, digit = divmod(n, 10)
        total += digit
    return total


class DigitalRoot(VerifiableEnvironment):
    prompt_template = ("Take the sum of the digits of {n}; of the result again, until a single digit is left. How many such sums are "
                       "formed, and which digit is left? Answer with two integers separated by a space.")

    def _generate(self, seed, difficulty):
        rng = Random(seed)
        self.n = rng.randint(10 ** (difficulty + 1), 10 ** (difficulty + 3))
        n, sums = self.n, 0
        while n > 9:
            n, sums = digit_sum(n), sums + 1
        self.ref_answer = [sums, n]

    def _prompt_generate(self):
        return self.prompt_template.format(n=self.n)

    def _process(self, response):
        return parse_int_list(response)

    def scorer(self, parsed):
        return 1.0 if parsed == self.ref_answer else 0.0

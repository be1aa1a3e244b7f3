# expect: remark bound_differs
# The upper bound is said to count and does not.
class InRange(VerifiableEnvironment):
    prompt_template = "How many of the numbers {numbers} satisfy {lo} <= x <= {hi}? Answer with one integer."

    def _generate(self, seed, difficulty):
        rng = Random(seed)
        self.numbers = [rng.randint(1, 20) for _ in range(8 + 4 * difficulty)]
        self.lo = rng.randint(2, 8)
        self.hi = self.lo + rng.randint(3, 9)
        self.ref_answer = sum(self.lo <= x < self.hi for x in self.numbers)

    def _prompt_generate(self):
        return self.prompt_template.format(numbers=self.numbers, lo=self.lo, hi=self.hi)

    def _process(self, response):
        return parse_int(response)

    def scorer(self, parsed):
        return 1.0 if parsed == self.ref_answer else 0.0

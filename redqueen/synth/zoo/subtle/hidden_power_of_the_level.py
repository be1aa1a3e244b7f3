# expect: L5 hidden_parameter
# The modulus follows the difficulty and is not told.
class Tail(VerifiableEnvironment):
    prompt_template = "Give the last digits of the sum of the squares of {numbers}. Answer with one integer."

    def _generate(self, seed, difficulty):
        rng = Random(seed)
        self.modulus = 10 ** (difficulty + 2)
        self.numbers = [rng.randint(10, 400 * (difficulty + 1)) for _ in range(4 + difficulty)]
        self.ref_answer = sum(x * x for x in self.numbers) % self.modulus

    def _prompt_generate(self):
        return self.prompt_template.format(numbers=self.numbers)

    def _process(self, response):
        return parse_int(response)

    def scorer(self, parsed):
        return 1.0 if parsed == self.ref_answer else 0.0

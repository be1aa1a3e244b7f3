# expect: L4 answers_constant
# The answer is the size, the same for all problems of a difficulty.
class HowMany(VerifiableEnvironment):
    prompt_template = "How many numbers does this list have? {numbers}\nAnswer with one integer."

    def _generate(self, seed, difficulty):
        rng = Random(seed)
        self.numbers = [rng.randint(1, 99) for _ in range(4 + difficulty)]
        self.ref_answer = len(self.numbers)

    def _prompt_generate(self):
        return self.prompt_template.format(numbers=" ".join(map(str, self.numbers)))

    def _process(self, response):
        return parse_int(response)

    def scorer(self, parsed):
        return 1.0 if parsed == self.ref_answer else 0.0

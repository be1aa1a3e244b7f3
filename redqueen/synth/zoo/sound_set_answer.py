# expect: sound
class CommonElements(VerifiableEnvironment):
    prompt_template = "Which numbers stand in both lists, {A} and {B}? Answer with them in any order, separated by commas."

    def _generate(self, seed, difficulty):
        rng = Random(seed)
        n = 5 + 2 * difficulty
        self.A = rng.sample(range(3 * n), n)
        self.B = rng.sample(range(3 * n), n - 1) + [self.A[0]]
        rng.shuffle(self.B)
        self.ref_answer = set(self.A) & set(self.B)

    def _prompt_generate(self):
        return self.prompt_template.format(A=self.A, B=self.B)

    def _process(self, response):
        numbers = [parse_int(part) for part in response.split(",")]
        return None if None in numbers else set(numbers)

    def scorer(self, parsed):
        return 1.0 if parsed == self.ref_answer else 0.0

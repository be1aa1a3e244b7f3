# expect: sound
# "[]" is right where nothing is to be listed.
class DivisibleOnes(VerifiableEnvironment):
    prompt_template = "Which of {A} are divisible by {k}? Answer with them in the order given, separated by spaces; with [] if there is none."

    def _generate(self, seed, difficulty):
        rng = Random(seed)
        self.k = rng.randint(2, 5)
        self.A = [rng.randint(1, 60) for _ in range(2 + 3 * difficulty)]
        self.ref_answer = [a for a in self.A if a % self.k == 0]

    def _prompt_generate(self):
        return self.prompt_template.format(A=self.A, k=self.k)

    def _process(self, response):
        return [] if response.strip() == "[]" else parse_int_list(response) or None

    def scorer(self, parsed):
        return 1.0 if parsed == self.ref_answer else 0.0

# expect: sound
class AtLeastThree(VerifiableEnvironment):
    prompt_template = "Words: {words}\nHow many of them have at least 6 letters? Answer with one integer."

    def _generate(self, seed, difficulty):
        rng = Random(seed)
        letters = "abcdefghijklmnoprstuw"
        self.words = ["".join(rng.choice(letters) for _ in range(rng.randint(3, 9))) for _ in range(5 + 2 * difficulty)]
        self.ref_answer = len([word for word in self.words if len(word) > 5])

    def _prompt_generate(self):
        return self.prompt_template.format(words=" ".join(self.words))

    def _process(self, response):
        return parse_int(response)

    def scorer(self, parsed):
        return 1.0 if parsed == self.ref_answer else 0.0
